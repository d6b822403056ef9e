// engine/network/providers.hpp: by which of libfabric's providers messages go to other nodes.
//
//   std::string why;
//   if (auto fabric = open_first(providers(set.fabric, measured, profile), {.nonce = job}, why)) ...      // null: why not
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "select/profile.hpp"
#include "transport/fabric/fabric.hpp"

namespace heddle::engine {

/// To be tried one after the other.
/// @param named  HEDDLE_FABRIC: a provider, or auto: whatever does more than sockets, else the one that heddle tune has found
/// to pay on this machine. @param measured  What it has found under this host.
std::vector<transport::fabric::Wanted> providers(const std::string& named, const select::BetweenNodes& measured,
                                                 const select::Profile& profile);

/// The first that opens. Null: none does, and why the last one does not.
std::unique_ptr<transport::fabric::Fabric> open_first(const std::vector<transport::fabric::Wanted>& providers,
                                                      transport::fabric::Options options, std::string& why);

}  // namespace heddle::engine
