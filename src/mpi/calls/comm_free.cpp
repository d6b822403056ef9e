// mpi/calls/comm_free.cpp: the last moment to learn what operations under way will want to know of a communicator, and the
// first to free what hung on it (threads/deferred.hpp): the host's callbacks may come later, and from where nothing of MPI may
// be called.
#include "mpi/communicators/known.hpp"
#include "report/reporting.hpp"
#include "threads/deferred.hpp"

namespace {

template <class Free>
int freed(const MPI_Comm* comm, Free free) {
  if (comm && *comm != MPI_COMM_NULL) heddle::mpi::communicators::freeing(*comm);
  const int result = free();
  heddle::report::tell_of_new_handle();
  heddle::threads::Deferred::free_all();
  return result;
}

}  // namespace

extern "C" {

int MPI_Comm_free(MPI_Comm* comm) {
  return freed(comm, [comm] { return PMPI_Comm_free(comm); });
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  return freed(comm, [comm] { return PMPI_Comm_disconnect(comm); });
}

}  // extern "C"
