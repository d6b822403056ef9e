// transport/fabric/adapters.hpp: whether libfabric may have more than sockets here.
//
//   if (adapters()) ...    // worth opening a fabric, and having receives that wait for it
#pragma once

#include <filesystem>

namespace heddle::transport::fabric {

/// By a look at which kinds of network adapters there are (InfiniBand, RoCE, iWARP, EFA and Omni-Path are of one class,
/// Slingshot of another), or because FI_PROVIDER says what libfabric is to take. libfabric itself takes milliseconds to say.
/// @param classes  Where Linux lists devices by class.
bool adapters(const std::filesystem::path& classes = "/sys/class") noexcept;

}  // namespace heddle::transport::fabric
