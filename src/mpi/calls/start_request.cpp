// mpi/calls/start_request.cpp: MPI_Start and MPI_Startall.
#include "mpi/requests/completion.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi::requests {
namespace {

/// The entry of a persistent request, or null.
Persistent* persistent(const MPI_Request& request) noexcept {
  Pending* pending = table.find(request);
  return pending && pending->record.persistent && !pending->record.active ? static_cast<Persistent*>(pending) : nullptr;
}

int start_all(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    Persistent* ours = persistent(requests[i]);
    const int error = ours ? ours->start() : PMPI_Start(&requests[i]);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace heddle::mpi::requests

using namespace heddle::mpi;

extern "C" {

int MPI_Start(MPI_Request* request) {
  if (request && !requests::table.empty()) {
    requests::look_after_freed();
    if (Persistent* ours = requests::persistent(*request)) return ours->start();
  }
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  if (count <= 0 || !array_of_requests || requests::table.empty()) return PMPI_Startall(count, array_of_requests);
  return requests::start_all(count, array_of_requests);
}

}  // extern "C"
