// mpi/exchange/info_hints.hpp: hints of a program for one communicator, by MPI_Info
// (select/collective/hints.hpp).
//
//   MPI_Info_set(info, "heddle_alltoallv", "crystal");     // the values of HEDDLE_ALLTOALLV, HEDDLE_ALLGATHERV
//   MPI_Comm_set_info(comm, info);                         // or MPI_Comm_dup_with_info, MPI_Comm_split_type, ...
//
// All these calls are collective, and ranks compare their hints there. If a hint is not the same on
// all ranks, it is ignored with a message. MPI_Comm_idup_with_info must not wait. Its hints go to
// the duplicate with its context (ShadowComm). Ranks compare them when the first blocking
// collective makes the duplicate's shadow communicator.
#pragma once

#include <memory>

#include "mpi/exchange/shadow_comm.hpp"

namespace heddle::mpi {

/// Compares the hints, and keeps those that are the same on all ranks. Collective over `comm`.
void settle(const GivenHints& given, MPI_Comm comm);

/// The program has given hints for `comm`. Collective over it. Nothing happens for
/// inter-communicators, and where Heddle keeps out.
void hints_given(MPI_Comm comm, MPI_Info info);

/// The context, with hints, of the duplicate of `comm` that MPI_Comm_idup_with_info makes. Null:
/// Heddle keeps out, or there is no memory.
std::unique_ptr<communicators::Context> hints_to_come(MPI_Comm comm, MPI_Info info);
/// Such hints are on some ranks only, because a rank had no memory.
void hints_lost(MPI_Comm comm) noexcept;

/// Adds the hints in effect to the info that the host shows of `comm`. It adds two more keys if
/// there are any hints and MPI_Alltoallv is for Heddle to choose. heddle_alltoallv_chosen tells how
/// the last blocking call went. heddle_alltoallv_every is a number of calls: ranks tell each other
/// their volumes once in so many.
void hints_shown(MPI_Comm comm, MPI_Info info) noexcept;

}  // namespace heddle::mpi
