// transport/machine.hpp: which running system this process is on.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::transport {

/// Equal for processes of one running kernel that see one another's process numbers and sockets (namespaces); different
/// anywhere else. Empty: the system does not say.
std::string machine();

/// Which namespace of that kind (pid, net, user) this process is in. 0: the system does not say.
std::uint64_t name_space(const char* kind) noexcept;

}  // namespace heddle::transport
