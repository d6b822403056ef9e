// mpi/calls/request_status.cpp: MPI_Request_get_status and its forms for several requests: what the host knows to be complete
// is finished now, and the status is kept until the program completes the request.
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi::requests {
namespace {

int get_status(Pending& pending, MPI_Request request, int* flag, MPI_Status* status) {
  const StatusOf arrived(status);
  *flag = 0;
  pending.advance(false);
  const int error = PMPI_Request_get_status(asked(pending, request), flag, arrived.get());
  if (!*flag) return error;
  return raise_new(finish_early(pending, *arrived.get(), error), error, pending.communicator());
}

/// The host has seen request `index` of the row complete.
int finish(Row& row, int index, MPI_Status& status, int error) {
  Pending* pending = row[index];
  return pending ? raise_new(finish_early(*pending, status, error), error, pending->communicator()) : error;
}

int get_status_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  Row row(count, requests);
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!row.readable() || !own) return no_memory();
  if (statuses == MPI_STATUSES_IGNORE) statuses = own.get();
  *flag = 0;
  int error = PMPI_Request_get_status_all(count, row.handles(), flag, statuses);
  for (int i = 0; *flag && i < count; ++i) error = finish(row, i, statuses[i], error);
  return error;
}

int get_status_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Row row(count, requests);
  if (!row.readable()) return no_memory();
  const StatusOf arrived(status);
  *flag = 0;
  *index = MPI_UNDEFINED;
  const int error = PMPI_Request_get_status_any(count, row.handles(), index, flag, arrived.get());
  return *flag && *index >= 0 && *index < count ? finish(row, *index, *arrived.get(), error) : error;
}

int get_status_some(int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  Row row(count, requests);
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!row.readable() || !own) return no_memory();
  if (statuses == MPI_STATUSES_IGNORE) statuses = own.get();
  *n = 0;
  int error = PMPI_Request_get_status_some(count, row.handles(), n, indices, statuses);
  for (int k = 0; k < *n; ++k) error = finish(row, indices[k], statuses[k], error);
  return error;
}

}  // namespace
}  // namespace heddle::mpi::requests

using namespace heddle::mpi;

extern "C" {

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (Pending* pending = requests::active(&request); pending && flag)
    return Watch::noted(requests::get_status(*pending, request, flag, status));
  return Watch::noted(PMPI_Request_get_status(request, flag, status));
}

int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
  if (requests::table.empty() || count <= 0 || !array_of_requests || !flag)
    return Watch::noted(PMPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses));
  return Watch::noted(requests::get_status_all(count, const_cast<MPI_Request*>(array_of_requests), flag, array_of_statuses));
}

int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  if (requests::table.empty() || count <= 0 || !array_of_requests || !indx || !flag)
    return Watch::noted(PMPI_Request_get_status_any(count, array_of_requests, indx, flag, status));
  return Watch::noted(requests::get_status_any(count, const_cast<MPI_Request*>(array_of_requests), indx, flag, status));
}

int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                                MPI_Status array_of_statuses[]) {
  if (requests::table.empty() || incount <= 0 || !array_of_requests || !outcount || !array_of_indices)
    return Watch::noted(
        PMPI_Request_get_status_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
  return Watch::noted(requests::get_status_some(incount, const_cast<MPI_Request*>(array_of_requests), outcount,
                                                array_of_indices, array_of_statuses));
}

}  // extern "C"
