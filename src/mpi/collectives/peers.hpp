// mpi/collectives/peers.hpp: the ranks of a collective, as far as one side's blocks depend on them.
//
// Only communicators within MPI_COMM_WORLD are known. On other communicators, the host gets the
// arguments as the program has them. Ranks without Heddle hand on their types as they are, and a
// host may cut a message by the type that it is given.
#pragma once

#include <vector>

#include "engine/collective/staged_collective.hpp"
#include "mpi/communicators/host_group.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// The ranks with which a rank exchanges blocks. Not known: the communicator is left to the host.
struct Peers : communicators::Peers {
  explicit Peers(MPI_Comm comm);
};

/// This rank in its own group; -1 if the host refuses the communicator.
int own_rank(MPI_Comm comm);

/// The part of a rank in a collective with a root.
struct Rooted {
  Rooted(int of, MPI_Comm comm);

  bool known = false;
  bool root = false;  ///< This rank is the root.
  bool leaf = false;  ///< This rank gives or gets a block. A root does so, too, except in an inter-communicator.
  int ranks = 0;
  int me = 0;
};

/// The ranks from which a rank receives and to which it sends in a topology, in the order of the
/// blocks. MPI_PROC_NULL stands beyond an edge. False: there is no topology, or the host does not
/// say. Throws std::bad_alloc.
bool neighbour_ranks(MPI_Comm comm, int me, std::vector<int>& from, std::vector<int>& to);

/// The number of a rank's neighbours in a topology.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm comm);

  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] int in() const { return in_; }
  [[nodiscard]] int out() const { return out_; }
  /// Blocks beyond the edge of a Cartesian topology.
  [[nodiscard]] engine::Absent absent() const;

 private:
  MPI_Comm comm_;
  bool known_ = false;
  bool cartesian_ = false;
  int in_ = 0;
  int out_ = 0;
};

}  // namespace heddle::mpi
