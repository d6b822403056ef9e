// engine/network/providers.hpp: chooses libfabric's provider for messages to other nodes.
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

/// Providers that are tried one after the other.
/// @param named  HEDDLE_FABRIC: a provider or auto. The latter means any provider that does more
/// than sockets, else the one that heddle tune has found to pay on this machine.
/// @param measured  Results of heddle tune under this host.
std::vector<transport::fabric::Wanted> providers(const std::string& named, const select::BetweenNodes& measured,
                                                 const select::Profile& profile);

/// Opens the first provider that works. Null: none works, and `why` has the reason of the last one.
std::unique_ptr<transport::fabric::Fabric> open_first(const std::vector<transport::fabric::Wanted>& providers,
                                                      transport::fabric::Options options, std::string& why);

}  // namespace heddle::engine
