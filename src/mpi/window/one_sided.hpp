// mpi/window/one_sided.hpp: MPI_Put and MPI_Get of data with holes. To memory that this rank can
// access they are one copy, complete when the call returns. To memory of the program they may wait
// for the next fence (deferred_by_window.hpp). The host gets the call in all other cases, and
// raises all errors.
//
//   if (!may_carry(origin.type, target.type) || !carry<Move::put>(origin, target, win)) return PMPI_Put(...);
#pragma once

#include "mpi/process/host.hpp"
#include "mpi/types/handles.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

/// The target's side of an access.
struct AtTarget {
  int rank;
  MPI_Aint displacement;  ///< Counts the target's displacement units.
  Count count;
  MPI_Datatype type;
};

enum class Move { put, get };

/// False: Heddle knows no derived type here, so the host gets the call. This test is all that calls
/// with two predefined types pay.
inline bool may_carry(MPI_Datatype origin, MPI_Datatype target) noexcept { return known(origin) || known(target); }

/// True: the data has been moved, or Heddle moves it in the next fence.
template <Move move>
bool carry(const Buffer& origin, const AtTarget& target, MPI_Win win);

/// True: the data has been moved, and *request is a request of the host that is complete.
template <Move move>
bool carry_with_request(const Buffer& origin, const AtTarget& target, MPI_Win win, MPI_Request* request);

}  // namespace heddle::mpi
