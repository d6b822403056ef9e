// transport/fabric/adapters.hpp: a quick test whether libfabric may have more than sockets here.
//
//   if (adapters()) ...    // worth opening a fabric, and letting receives wait for it
#pragma once

#include <filesystem>

namespace heddle::transport::fabric {

/// True if the system lists a network adapter of a known class, or if FI_PROVIDER names a provider.
/// InfiniBand, RoCE, iWARP, EFA and Omni-Path are of one class, Slingshot is of another. To ask
/// libfabric itself would take milliseconds.
/// @param classes  The folder where Linux lists devices by class.
bool adapters(const std::filesystem::path& classes = "/sys/class") noexcept;

}  // namespace heddle::transport::fabric
