// mpi/requests/freed.hpp: requests that the program has freed before they were complete. Their operations go on (MPI-5.0
// §3.7.3), and what they are packed in must live as long. Includes pending.hpp.
#pragma once

#include "mpi/requests/pending.hpp"

namespace heddle::mpi::requests {

/// Takes over `pending`, and `host`, the request that the host completes.
void let_go(Pending* pending, MPI_Request host) noexcept;

/// At every call that makes a request: those that are complete by now are finished. Free of cost if there are none.
void look_after_freed() noexcept;

/// Before the host's Finalize: waits for those that end by themselves, and gives up the others.
void finish_freed() noexcept;

}  // namespace heddle::mpi::requests
