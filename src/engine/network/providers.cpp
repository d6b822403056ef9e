// engine/network/providers.cpp: the providers to try, in order, and the first that opens.
#include "engine/network/providers.hpp"

#include "select/choose_fabric.hpp"

namespace heddle::engine {

namespace fabric = transport::fabric;

std::vector<fabric::Wanted> providers(const std::string& named, const select::BetweenNodes& measured,
                                      const select::Profile& profile) {
  if (named != "auto") return {{.provider = named}};
  std::vector<fabric::Wanted> all{{.sockets = false}};
  if (select::worth_opening(measured, profile)) all.push_back({.provider = std::string(measured.name())});
  return all;
}

std::unique_ptr<fabric::Fabric> open_first(const std::vector<fabric::Wanted>& providers, fabric::Options options,
                                           std::string& why) {
  std::unique_ptr<fabric::Fabric> made;
  for (const fabric::Wanted& each : providers) {
    fabric::Failure failure = fabric::Failure::none;
    options.wanted = each;
    made = fabric::Fabric::open(options, failure, why);
    if (made) break;
  }
  return made;
}

}  // namespace heddle::engine
