// transport/machine.hpp: which running system this process is on. Includes nothing of Heddle.
#pragma once

#include <string>

namespace heddle::transport {

/// Equal for processes of one running kernel that see one another's process numbers and sockets (namespaces); different
/// anywhere else. Empty: the system does not say.
std::string machine();

}  // namespace heddle::transport
