// transport/fabric/provider.hpp: which of libfabric's providers can carry Heddle's messages.
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

/// The first that claims all that is needed, in libfabric's own order (the fastest first). Null: `why` says who lacks what.
Info find_provider(const Library& library, const Wanted& wanted, std::string& why);

/// What it claims, in our words.
Abilities abilities_of(const fi_info& info);

}  // namespace heddle::transport::fabric
