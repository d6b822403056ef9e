// mpi/requests/generalized.cpp
#include "mpi/requests/generalized.hpp"

namespace heddle::mpi {
namespace {

int tell(void* /*state*/, MPI_Status* status) {
  PMPI_Status_set_elements_x(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int freed(void* /*state*/) { return MPI_SUCCESS; }
int cancelled(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }

}  // namespace

int begin_generalized(MPI_Request* request) { return PMPI_Grequest_start(tell, freed, cancelled, nullptr, request); }

}  // namespace heddle::mpi
