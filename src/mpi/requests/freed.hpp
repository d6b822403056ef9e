// mpi/requests/freed.hpp: requests that the program has freed before they were complete. Their operations go on (MPI-5.0
// §3.7.3), and what they are packed in must live as long. Includes pending.hpp.
#pragma once

#include "mpi/requests/pending.hpp"
#include "threads/lingering.hpp"

namespace heddle::mpi::requests {

/// Takes over `pending`, and `host`, the request that the host completes.
void let_go(Pending* pending, MPI_Request host) noexcept;

/// Of the process.
inline constinit threads::Lingering<Pending> freed;

/// Those that are complete by now are finished.
void finish_complete_freed();
/// At every call that makes a request.
inline void look_after_freed() {
  if (freed.any()) finish_complete_freed();
}

/// Before the host's Finalize: waits for those that end by themselves, and gives up the others.
void finish_freed();

}  // namespace heddle::mpi::requests
