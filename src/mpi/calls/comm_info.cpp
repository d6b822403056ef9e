// mpi/calls/comm_info.cpp: hints, of which two are for Heddle (exchange/hints.hpp).
#include "mpi/exchange/hints.hpp"

extern "C" {

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  const int result = PMPI_Comm_set_info(comm, info);
  if (result == MPI_SUCCESS) heddle::mpi::hints_given(comm, info);
  return result;
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  const int result = PMPI_Comm_get_info(comm, info_used);
  if (result == MPI_SUCCESS) heddle::mpi::hints_shown(comm, *info_used);
  return result;
}

}  // extern "C"
