// transport/fabric/adapters.cpp: looks for devices in /sys/class, and for FI_PROVIDER.
#include "transport/fabric/adapters.hpp"

#include <array>
#include <cstdlib>
#include <system_error>

namespace heddle::transport::fabric {

bool adapters(const std::filesystem::path& classes) noexcept try {
  if (std::getenv("FI_PROVIDER") != nullptr) return true;
  for (const char* const kind : std::array{"infiniband", "cxi"}) {
    std::error_code none;
    if (std::filesystem::directory_iterator(classes / kind, none) != std::filesystem::directory_iterator()) return true;
  }
  return false;
} catch (const std::exception&) {
  return true;  // let libfabric decide
}

}  // namespace heddle::transport::fabric
