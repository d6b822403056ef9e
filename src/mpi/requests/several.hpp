// mpi/requests/several.hpp: what MPI_Waitany and MPI_Testany have in common, and MPI_Waitsome and MPI_Testsome. Includes
// host.hpp.
//
//   return complete_some(true, count, requests, n, indices, statuses);      // MPI_Waitsome
#pragma once

#include "mpi/process/host.hpp"

namespace heddle::mpi::requests {

/// The caller has seen that the table is not empty, and count > 0.
/// @param flag  Null: the call waits.
int complete_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
int complete_some(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses);

}  // namespace heddle::mpi::requests
