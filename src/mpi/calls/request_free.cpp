// mpi/calls/request_free.cpp: MPI_Request_free and MPI_Cancel.
#include "mpi/requests/completion.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi::requests {
namespace {

int free_request(Pending* pending, MPI_Request* request) {
  const Pending::Record& record = pending->record;
  table.erase(*request, pending);
  if (!record.active) {
    delete pending;
    return PMPI_Request_free(request);
  }
  // The operation goes on; what the host completes is kept in the list until then.
  if (record.substituted) {
    const MPI_Request inner = record.inner;
    let_go(pending, inner);
    return PMPI_Request_free(request);
  }
  let_go(pending, *request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace heddle::mpi::requests

using namespace heddle::mpi;

extern "C" {

int MPI_Request_free(MPI_Request* request) {
  if (request && !requests::table.empty())
    if (Pending* pending = requests::table.find(*request)) return requests::free_request(pending, request);
  return PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request* request) {
  Pending* pending = requests::active(request);
  if (!pending) return PMPI_Cancel(request);
  pending->record.cancelled = true;
  MPI_Request host = requests::asked(*pending, *request);
  return PMPI_Cancel(&host);
}

}  // extern "C"
