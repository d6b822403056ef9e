// transport/machine.cpp: the id of the start of the machine, its host name, and the inodes of
// namespaces.
#include "transport/machine.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <array>
#include <cstdio>
#include <fstream>

namespace heddle::transport {

std::string machine() {
  std::string text;
  utsname system{};
  if (!(std::ifstream("/proc/sys/kernel/random/boot_id") >> text) || uname(&system) != 0) return {};
  text += system.nodename;  // copies of a virtual machine have one boot_id
  for (const char* kind : {"pid", "net"}) {
    const std::uint64_t space = name_space(kind);
    if (space == 0) return {};
    text += ' ' + std::to_string(space);
  }
  return text;
}

std::uint64_t name_space(const char* kind) noexcept {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/ns/%s", kind);
  struct stat facts {};
  return stat(path.data(), &facts) == 0 ? facts.st_ino : 0;
}

}  // namespace heddle::transport
