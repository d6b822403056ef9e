// mpi/exchange/hints.hpp: what a program wishes of Heddle for one communicator, by MPI_Info (select/collective/hints.hpp).
// Includes shadow_comm.hpp.
//
//   MPI_Info_set(info, "heddle_alltoallv", "crystal");     // the values of HEDDLE_ALLTOALLV, HEDDLE_ALLGATHERV
//   MPI_Comm_set_info(comm, info);                         // or MPI_Comm_dup_with_info, MPI_Comm_split_type, ...
//
// All of these are collective: ranks compare there what they were given. What is not the same on all of them is ignored, with a
// sentence. MPI_Comm_idup_with_info must not wait: what it gives goes to the duplicate with its context (ShadowComm), and is
// compared when the first blocking collective makes the duplicate's shadow.
#pragma once

#include <memory>

#include "mpi/exchange/shadow_comm.hpp"

namespace heddle::mpi {

/// Compares, and keeps what is the same on all ranks. Collective over `comm`.
void settle(const GivenHints& given, MPI_Comm comm);

/// `comm` has been given hints. Collective over it; nothing happens for inter-communicators, and where Heddle keeps out.
void hints_given(MPI_Comm comm, MPI_Info info);

/// For the duplicate of `comm` that MPI_Comm_idup_with_info makes. Null: Heddle keeps out, or there is no memory.
std::unique_ptr<communicators::Context> hints_to_come(MPI_Comm comm, MPI_Info info);
/// Such hints are on some ranks only: one had no memory.
void hints_lost(MPI_Comm comm) noexcept;

/// Adds to what the host shows of `comm` those that count; and, if there are any and MPI_Alltoallv is for Heddle to choose,
/// heddle_alltoallv_chosen: how the last blocking one went, and heddle_alltoallv_every: in how many calls ranks tell each other
/// their volumes once.
void hints_shown(MPI_Comm comm, MPI_Info info) noexcept;

}  // namespace heddle::mpi
