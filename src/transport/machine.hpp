// transport/machine.hpp: identifies the running system and the namespaces of this process.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::transport {

/// A text that is equal in processes of one running kernel with the same pid and network
/// namespaces, and different anywhere else. Empty: the system does not tell.
std::string machine();

/// The number of this process's namespace of a kind (pid, net, user). 0: the system does not tell.
std::uint64_t name_space(const char* kind) noexcept;

}  // namespace heddle::transport
