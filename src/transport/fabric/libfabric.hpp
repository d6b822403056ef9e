// transport/fabric/libfabric.hpp: loads libfabric.so.1 at the first use, so that programs need no
// libfabric. Only provider.cpp and endpoint.cpp include this header, because it includes
// libfabric's.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#pragma GCC diagnostic pop

#include <memory>
#include <string>

namespace heddle::transport::fabric {

/// The few functions that are not called through an object's table.
struct Library {
  decltype(&fi_getinfo) getinfo = nullptr;
  decltype(&fi_freeinfo) freeinfo = nullptr;
  decltype(&fi_dupinfo) dupinfo = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) strerror = nullptr;
};

/// Loads the file (empty: libfabric.so.1). Null: `why` gives the reason. Not safe for several
/// threads.
const Library* library(const std::string& file, std::string& why);

/// Closes what libfabric has opened.
struct Close {
  void operator()(void* object) const noexcept { fi_close(static_cast<fid*>(object)); }
};
template <class T>
using Opened = std::unique_ptr<T, Close>;

}  // namespace heddle::transport::fabric
