// mpi/node/placement.hpp: which ranks share this one's node, found once, in MPI_Init. Includes process/host.hpp.
//
//   const Placement placement(all.one_machine);         // collective over MPI_COMM_WORLD
//   Node::start(placement.ranks());
//   ...
//   Placement::node()                                   // equal on the ranks of a node, different on different nodes
#pragma once

#include <atomic>

#include "mpi/process/host.hpp"

namespace heddle::mpi {

class Placement {
 public:
  /// @param one_machine  All ranks run under one kernel, as all of them know: the host need not be asked.
  explicit Placement(bool one_machine) noexcept;
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  /// The ranks of this node, in the order of the world; MPI_COMM_WORLD if all are. MPI_COMM_NULL: the host does not say.
  [[nodiscard]] MPI_Comm ranks() const noexcept { return ranks_; }
  /// Ranks are on several nodes. All ranks find the same.
  [[nodiscard]] bool several() const noexcept { return several_; }
  /// The lowest rank of MPI_COMM_WORLD on this node; -1: nobody has looked, or the host does not say.
  static int node() noexcept { return node_.load(std::memory_order_relaxed); }

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
  bool several_ = false;
  static inline constinit std::atomic<int> node_{-1};
};

}  // namespace heddle::mpi
