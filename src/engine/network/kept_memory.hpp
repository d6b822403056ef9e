// engine/network/kept_memory.hpp: the registration of the program's memory for a persistent
// operation. The first message that needs it registers the memory. It stays registered until the
// operation is freed.
//
//   KeptMemory memory = NetworkMemory::made(network);    // with the request; null: nothing goes to other nodes
//   landing.kept = memory ? &memory->holding : nullptr;  // each start
#pragma once

#include <memory>
#include <new>

#include "engine/network/network.hpp"

namespace heddle::engine {

class NetworkMemory {
 public:
  /// Null: there is no network, or no memory for it; then each start registers for itself.
  static std::shared_ptr<NetworkMemory> made(Network* network) noexcept try {
    return network ? std::make_shared<NetworkMemory>(*network) : nullptr;
  } catch (const std::bad_alloc&) {
    return {};
  }
  explicit NetworkMemory(Network& network) noexcept : network_(network) {}
  NetworkMemory(const NetworkMemory&) = delete;
  NetworkMemory& operator=(const NetworkMemory&) = delete;
  ~NetworkMemory() {
    if (holding.empty()) return;
    const Network::Access access(network_);
    if (access) access->registrations().drop(holding);  // a closed network has given up all registrations
  }

  transport::fabric::Holding holding;  ///< Only used with access to the fabric.

 private:
  Network& network_;
};

/// The request holds it, and so does a message that is under way when the request is freed.
using KeptMemory = std::shared_ptr<NetworkMemory>;

}  // namespace heddle::engine
