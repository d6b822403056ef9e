// mpi/exchange/gather.hpp: MPI_Allgatherv by a schedule of Heddle's, chosen by how the volumes are spread. Includes
// types/arguments.hpp.
//
// Every rank knows all receive counts, and the signature's bytes of a block are the same on all; so all choose alike without a
// word (select/collective/choose.hpp). What the host would do as well is left to it: see worth_choosing in gather.cpp.
#pragma once

#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi {

/// Nothing: not for Heddle, on all ranks alike. `timed`: of the whole call.
Done exchange_gather(const Buffer& send, const VArgument& receive, MPI_Comm comm, TimedCall& timed);

}  // namespace heddle::mpi
