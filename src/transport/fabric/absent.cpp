// transport/fabric/absent.cpp: built if libfabric's headers are missing.
#include "transport/fabric/endpoint.hpp"

namespace heddle::transport::fabric {

std::unique_ptr<Endpoint> open_endpoint(const Wanted&, std::string& why) {
  why = "this Heddle was built without libfabric's headers (Debian: libfabric-dev)";
  return nullptr;
}

bool built_with_libfabric() noexcept { return false; }

}  // namespace heddle::transport::fabric
