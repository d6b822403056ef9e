// mpi/process/faults.hpp: what the host says about jobs that go on without some of their ranks.
//
//   if (const char* why = tolerates_faults()) ...             // Heddle is off: it waits for ranks that may never come
//   if (own && revoked(comm)) return nullptr;                 // the host raises the error
//   Watch::end(finalize_waits());
#pragma once

#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// The setting of the host that lets this job go on when a rank dies. Null: none is set. After the
/// host's MPI_Init.
const char* tolerates_faults() noexcept;

/// True: this process knows that the communicator has been revoked (MPIX_Comm_revoke). Programs may
/// do so in any job.
bool revoked(MPI_Comm comm) noexcept;

/// True: the host's MPI_Finalize waits for the other ranks. Otherwise some of them may be gone by
/// then.
bool finalize_waits() noexcept;

}  // namespace heddle::mpi
