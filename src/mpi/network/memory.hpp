// mpi/network/memory.hpp: the program's memory as a persistent operation has registered it: by its first message that needs it,
// until the operation is freed. Includes network.hpp.
//
//   KeptMemory memory = NetworkMemory::made();          // with the request
//   begin_send(data, ..., memory);                      // each start
#pragma once

#include <memory>
#include <new>

#include "mpi/network/network.hpp"

namespace heddle::mpi {

class NetworkMemory {
 public:
  /// Null: nothing goes to other nodes, or there is no memory; then each start registers for itself.
  static std::shared_ptr<NetworkMemory> made() noexcept try {
    return Network::here() ? std::make_shared<NetworkMemory>() : nullptr;
  } catch (const std::bad_alloc&) {
    return {};
  }
  NetworkMemory() = default;
  NetworkMemory(const NetworkMemory&) = delete;
  NetworkMemory& operator=(const NetworkMemory&) = delete;
  ~NetworkMemory() {
    Network* const network = Network::here();
    if (holding.empty() || !network) return;  // MPI_Finalize has given up all there was
    const Network::Access access(*network);
    access->registrations().drop(holding);
  }

  transport::fabric::Holding holding;  ///< With access to the fabric.
};

/// Whoever has it holds it: the request, and a message that is under way when the request is freed.
using KeptMemory = std::shared_ptr<NetworkMemory>;

}  // namespace heddle::mpi
