// transport/fabric/provider.hpp: finds a provider of libfabric's that can carry Heddle's messages.
//
//   const Info info = find_provider(*library, wanted, why);
#pragma once

#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/libfabric.hpp"

namespace heddle::transport::fabric {

struct FreeInfo {
  const Library* library = nullptr;
  void operator()(fi_info* info) const noexcept { library->freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// The first provider, in libfabric's order (the fastest first), that claims all abilities that
/// Heddle needs. Null: `why` names the ability that is lacking.
Info find_provider(const Library& library, const Wanted& wanted, std::string& why);

/// The abilities that the provider claims.
Abilities abilities_of(const fi_info& info);

}  // namespace heddle::transport::fabric
