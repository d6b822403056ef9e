// mpi/exchange/hints.hpp: what a program wishes of Heddle for one communicator, by MPI_Info. Includes shadow_comm.hpp.
//
//   MPI_Info_set(info, "heddle_alltoallv", "crystal");     // the values of HEDDLE_ALLTOALLV, HEDDLE_ALLGATHERV
//   MPI_Comm_set_info(comm, info);                         // or MPI_Comm_dup_with_info, MPI_Comm_split_type, ...
//
// All of these are collective: ranks compare there what they were given. What is not the same on all of them is ignored, with a
// sentence. MPI_Comm_idup_with_info must not wait: what it gives hangs on the duplicate as an attribute, and is compared when
// the first blocking collective makes the duplicate's shadow.
#pragma once

#include "mpi/exchange/shadow_comm.hpp"

namespace heddle::mpi {

/// `comm` has been given hints. Collective over it; nothing happens for inter-communicators, and where Heddle keeps out.
void hints_given(MPI_Comm comm, MPI_Info info);

/// While MPI_Comm_idup_with_info runs.
class HintsToCome {
 public:
  HintsToCome(MPI_Comm comm, MPI_Info info);
  ~HintsToCome();
  HintsToCome(const HintsToCome&) = delete;
  HintsToCome& operator=(const HintsToCome&) = delete;

 private:
  MPI_Comm comm_;
  bool noted_ = false;
};
/// Whether such a call has left hints on `comm`, if only none at all.
bool hints_noted(MPI_Comm comm) noexcept;
/// They are on all ranks. Collective; the shadow communicator is there.
void hints_come(MPI_Comm comm) noexcept;
/// They are on some ranks only: one had no memory.
void hints_lost(MPI_Comm comm) noexcept;
/// Before MPI_Finalize.
void close_hints() noexcept;

/// Adds to what the host shows of `comm` those that count; and, if there are any and MPI_Alltoallv is for Heddle to choose,
/// heddle_alltoallv_chosen: how the last blocking one went, and heddle_alltoallv_every: in how many calls ranks tell each other
/// their volumes once.
void hints_shown(MPI_Comm comm, MPI_Info info) noexcept;

}  // namespace heddle::mpi
