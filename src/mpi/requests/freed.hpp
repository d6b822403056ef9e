// mpi/requests/freed.hpp: requests that the program has freed before they were complete. Their
// operations go on (MPI-5.0 §3.7.3), and their staging buffers must live as long.
#pragma once

#include "mpi/requests/pending.hpp"
#include "threads/lingering.hpp"
#include "threads/read_by_every_call.hpp"

namespace heddle::mpi::requests {

/// Takes over `pending`, and `host`, the request that the host completes.
void let_go(Pending* pending, MPI_Request host) noexcept;

/// The freed requests of the process.
HEDDLE_READ_BY_EVERY_CALL extern constinit threads::Lingering<Pending> freed;

/// Finishes the freed requests that are complete by now.
void finish_complete_freed();
/// Called by every call that makes a request, and after every call in which the host may have
/// completed one.
[[gnu::always_inline]] inline void look_after_freed() {
  if (freed.any()) [[unlikely]]
    finish_complete_freed();
}
/// A call of the host has returned `result`. Looks after freed requests, and returns `result`.
inline int after_progress(int result) {
  look_after_freed();
  return result;
}

// Before the host's Finalize, in this order:

/// Waits for sends, and for receives where the host's Finalize waits for receives (MPICH with
/// MPIR_CVAR_FINALIZE_WAIT).
void wait_for_freed();
/// All ranks have come to MPI_Finalize, so their last messages are on the way. Lets the host
/// receive them.
void look_after_last_freed();
/// Gives up all other receives, whose messages may never come.
void finish_freed();

}  // namespace heddle::mpi::requests
