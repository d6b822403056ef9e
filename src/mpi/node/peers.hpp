// mpi/node/peers.hpp: which ranks of a communicator are on this node. Asked for by the first message of a communicator, kept
// until the communicator is freed. Includes host.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "mpi/host.hpp"

namespace heddle::mpi {

class Peers {
 public:
  /// @param world  For each rank of MPI_COMM_WORLD its node rank here, or -1.
  explicit Peers(std::vector<int> world) : world_(std::move(world)) {}

  /// Node rank or -1. Ranks outside the communicator (MPI_PROC_NULL, mistakes): -1.
  [[nodiscard]] int find(MPI_Comm comm, int rank) noexcept;
  /// The communicator is gone.
  void forget(MPI_Comm comm) noexcept;
  /// No more attributes on communicators: before MPI_Finalize.
  void close() noexcept;

 private:
  using List = std::vector<int>;
  const List* list_of(MPI_Comm comm) noexcept;
  List translate(MPI_Comm comm) const;

  std::vector<int> world_;
  std::mutex lock_;
  std::unordered_map<std::uint64_t, std::unique_ptr<List>> lists_;
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace heddle::mpi
