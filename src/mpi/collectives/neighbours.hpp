// mpi/collectives/neighbours.hpp: what the collectives of a topology have in common on the host's way. Includes staged.hpp.
#pragma once

#include "mpi/collectives/staged.hpp"

namespace heddle::mpi {

/// Blocks that nobody fills are looked up now: the communicator may be freed before the end. Returns true.
template <class Op>
bool receives_from(Op& op, Neighbours peers) {
  if (peers.in() > 0) static_cast<void>(peers.absent(0));
  op.from = peers;
  return true;
}

}  // namespace heddle::mpi
