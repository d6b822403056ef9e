// mpi/calls/request_status.cpp: MPI_Request_get_status and its forms for several requests. If the
// host knows that a request is complete, Heddle finishes it now, and keeps the status until the
// program completes the request.
#include "entry_points.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi::requests {
namespace {

int get_status(auto host, MPI_Request request, int* flag, MPI_Status* status) {
  Pending* const pending = active(&request);
  if (!pending || !flag) return Watch::noted(host(request, flag, status));
  const StatusOf arrived(status);
  *flag = 0;
  pending->advance(false);
  const int error = host(asked(*pending, request), flag, arrived.get());
  if (!*flag) return Watch::noted(error);
  const int result = finish_early(*pending, *arrived.get(), error);
  if (traits().asks_without_errors) return Watch::noted(error);
  return Watch::noted(error == MPI_SUCCESS ? int{raise_of_several(result, pending->communicator())} : result);
}

/// MPIX_Request_is_complete. Errors are raised when the program completes the request.
[[maybe_unused]] int is_complete(auto host, MPI_Request request) {
  Pending* const pending = active(&request);
  if (!pending) return host(request);
  if (pending->record.progress.load(std::memory_order_acquire) == Pending::Progress::finished) return 1;
  pending->advance(false);
  const MPI_Request of_host = asked(*pending, request);
  if (!host(of_host)) return 0;
  const StatusOf arrived(MPI_STATUS_IGNORE);
  int flag = 0;
  int error = MPI_SUCCESS;
  {
    const communicators::Hold& comm = pending->communicator();
    const Quiet quiet(comm.gone() || comm.handle() == MPI_COMM_NULL ? MPI_COMM_SELF : comm.handle());
    const Quiet of_call(MPI_COMM_NULL);  // MPICH 5.0.2 raises an error of this call as one without a communicator
    error = PMPI_Request_get_status(of_host, &flag, arrived.get());
  }
  if (!flag) return 0;
  finish_early(*pending, *arrived.get(), error);
  return 1;
}

/// The host has seen request `index` of the row complete.
int finish(Row& row, int index, MPI_Status& status, int error) {
  Pending* pending = row[index];
  if (!pending) return error;
  const int result = finish_early(*pending, status, error);
  return error == MPI_SUCCESS ? int{raise_of_several(result, pending->communicator())} : result;
}

/// True: no request of the row is Heddle's, or the host must raise the error.
bool is_hosts(int count, const MPI_Request* requests) { return table.empty() || count <= 0 || !requests; }

int get_status_all(auto host, int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (is_hosts(count, requests) || !flag) return Watch::noted(host(count, requests, flag, statuses));
  Row row(count, const_cast<MPI_Request*>(requests));
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!row.readable() || !own) return Watch::noted(no_memory());
  if (statuses == MPI_STATUSES_IGNORE) statuses = own.get();
  *flag = 0;
  const int error = host(count, row.handles(), flag, statuses);
  return Watch::noted(*flag || error != MPI_SUCCESS ? row.finish_some(count, nullptr, statuses, error) : error);
}

int get_status_any(auto host, int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (is_hosts(count, requests) || !index || !flag) return Watch::noted(host(count, requests, index, flag, status));
  Row row(count, const_cast<MPI_Request*>(requests));
  if (!row.readable()) return Watch::noted(no_memory());
  const StatusOf arrived(status);
  *flag = 0;
  *index = MPI_UNDEFINED;
  const int error = host(count, row.handles(), index, flag, arrived.get());
  const bool found = *flag && *index >= 0 && *index < count;
  return Watch::noted(found ? finish(row, *index, *arrived.get(), error) : error);
}

int get_status_some(auto host, int count, const MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  if (is_hosts(count, requests) || !n || !indices) return Watch::noted(host(count, requests, n, indices, statuses));
  Row row(count, const_cast<MPI_Request*>(requests));
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!row.readable() || !own) return Watch::noted(no_memory());
  if (statuses == MPI_STATUSES_IGNORE) statuses = own.get();
  *n = 0;
  const int error = host(count, row.handles(), n, indices, statuses);
  return Watch::noted(*n > 0 ? row.finish_some(*n, indices, statuses, error) : error);
}

}  // namespace
}  // namespace heddle::mpi::requests

namespace requests = heddle::mpi::requests;

extern "C" {
HEDDLE_ENTRY_Request_get_status(requests::get_status);
HEDDLE_ENTRY_Request_get_status_all(requests::get_status_all);
HEDDLE_ENTRY_Request_get_status_any(requests::get_status_any);
HEDDLE_ENTRY_Request_get_status_some(requests::get_status_some);
#ifdef HEDDLE_ENTRY_MPIX_Request_is_complete
HEDDLE_ENTRY_MPIX_Request_is_complete(requests::is_complete)
#endif
}
