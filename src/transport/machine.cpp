// transport/machine.cpp
#include "transport/machine.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <fstream>

namespace heddle::transport {

std::string machine() {
  std::string text;
  utsname system{};
  if (!(std::ifstream("/proc/sys/kernel/random/boot_id") >> text) || uname(&system) != 0) return {};
  text += system.nodename;  // copies of a virtual machine have one boot_id
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/net"}) {
    struct stat facts {};
    if (stat(space, &facts) != 0) return {};
    text += ' ' + std::to_string(facts.st_ino);
  }
  return text;
}

}  // namespace heddle::transport
