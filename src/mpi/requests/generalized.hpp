// mpi/requests/generalized.hpp: a request that Heddle itself completes (MPI-5.0 §13.2), of several operations together.
// Includes host.hpp.
//
//   if (begin_generalized(request) == MPI_SUCCESS) ...       // its operation advances() (pending.hpp)
//   PMPI_Grequest_complete(*request);                        // by advance(), when all is done
#pragma once

#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// Returns the host's error code.
int begin_generalized(MPI_Request* request);

}  // namespace heddle::mpi
