// mpi/collectives/peers.hpp: who takes part in a collective, as far as one side's blocks depend on it. Includes
// communicators/, engine/staged.hpp.
//
// Known are only communicators within MPI_COMM_WORLD: what goes to others' hosts goes as the program has it, since ranks
// without Heddle hand on their types as they are, and hosts may cut a message by the type that they are given.
#pragma once

#include <vector>

#include "engine/staged.hpp"
#include "mpi/communicators/ask.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// The ranks that a rank exchanges blocks with. Not known: a communicator that is the host's alone.
struct Peers : communicators::Peers {
  explicit Peers(MPI_Comm comm);
};

/// This rank in its own group; -1 if the host refuses the communicator.
int own_rank(MPI_Comm comm);

/// What a rank does in a collective with a root.
struct Rooted {
  Rooted(int of, MPI_Comm comm);

  bool known = false;
  bool root = false;  ///< This rank is the root.
  bool leaf = false;  ///< This rank gives or gets a block; a root does so, too, unless in an intercommunicator.
  int ranks = 0;
  int me = 0;
};

/// Whom a rank receives from and sends to in a topology, in the order of the blocks, MPI_PROC_NULL beyond an edge. False: there
/// is no topology, or the host does not say. Throws std::bad_alloc.
bool neighbour_ranks(MPI_Comm comm, int me, std::vector<int>& from, std::vector<int>& to);

/// The neighbours of a rank in a topology, in the order of the blocks.
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
