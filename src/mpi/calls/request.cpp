// mpi/calls/request.cpp: calls that use a request but do not complete it. They start it (MPI_Start,
// MPI_Startall), free it or cancel it.
#include <algorithm>
#include <optional>

#include "mpi/requests/completion.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/short_row.hpp"

namespace heddle::mpi::requests {
namespace {

/// The entry of an inactive persistent request, or null.
Persistent* persistent(const MPI_Request& request) noexcept {
  Pending* pending = table.find(request);
  return pending && pending->record.persistent && !pending->record.active ? static_cast<Persistent*>(pending) : nullptr;
}

/// False: the request is not persistent, or has been started already. The host would not notice the
/// latter if an operation of Heddle stands for its request.
bool may_start(const MPI_Request& request) noexcept {
  const Pending* const pending = table.find(request);
  return !pending || (pending->record.persistent && !pending->record.active);
}

/// The host has failed to start all of a row. It may have started this request.
void after_failed_start(Persistent& each, MPI_Request request) {
  int complete = 0;
  MPI_Status status;
  if (PMPI_Request_get_status(request, &complete, &status) != MPI_SUCCESS) return;
  if (complete && status.MPI_SOURCE == MPI_ANY_SOURCE) return;  // the empty status of an inactive request
  each.started_by_host();
  if (complete) finish_early(each, status, MPI_SUCCESS);
}

/// Asks the host once, if it can start all requests of the row. Nothing: it cannot.
[[gnu::hot]] std::optional<int> start_all_by_host(int count, MPI_Request* requests) {
  if (count > ShortRow::most) return {};
  const ShortRow found(count, requests);
  for (int k = 0; k < found.known; ++k) {
    Pending& each = *found.spots[k].entry;
    if (!each.record.persistent || each.record.active || !static_cast<Persistent&>(each).starts_by_host()) return {};
  }
  const int error = PMPI_Startall(count, requests);
  for (int k = 0; k < found.known; ++k) {
    auto& each = static_cast<Persistent&>(*found.spots[k].entry);
    if (error == MPI_SUCCESS) [[likely]]
      each.started_by_host();
    else
      after_failed_start(each, requests[found.spots[k].index]);
  }
  return error;
}

/// Starts no request if the host would refuse one of them.
int start_all(int count, MPI_Request* requests) {
  if (std::find(requests, requests + count, MPI_REQUEST_NULL) != requests + count) return PMPI_Startall(count, requests);
  if (const std::optional<int> error = start_all_by_host(count, requests)) return *error;
  for (int i = 0; i < count; ++i)
    if (!may_start(requests[i])) return raise_new(MPI_ERR_REQUEST, MPI_COMM_NULL);
  for (int i = 0; i < count; ++i) {
    Persistent* ours = persistent(requests[i]);
    const int error = ours ? ours->start() : PMPI_Start(&requests[i]);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int free_request(Pending* pending, MPI_Request* request) {
  const Pending::Record& record = pending->record;
  table.erase(*request, pending);
  if (!record.active) {
    delete pending;
    return PMPI_Request_free(request);
  }
  // MPI_Request_get_status has said that it is complete: the program's memory is its own again.
  if (record.progress.load(std::memory_order_acquire) == Pending::Progress::finished) {
    MPI_Request inner = record.substituted ? record.inner : MPI_REQUEST_NULL;
    delete pending;
    if (inner != MPI_REQUEST_NULL) PMPI_Request_free(&inner);
    return PMPI_Request_free(request);
  }
  // The operation goes on. It is kept in the list until the host has completed it.
  if (record.substituted) {
    const MPI_Request inner = record.inner;
    let_go(pending, inner);
    return after_progress(PMPI_Request_free(request));
  }
  let_go(pending, *request);
  *request = MPI_REQUEST_NULL;
  return after_progress(MPI_SUCCESS);
}

}  // namespace
}  // namespace heddle::mpi::requests

using namespace heddle::mpi;

extern "C" {

[[gnu::hot]] decltype(MPI_Startall) MPI_Startall;

int MPI_Start(MPI_Request* request) {
  if (request && !requests::table.empty()) {
    requests::look_after_freed();
    if (!requests::may_start(*request)) return raise_new(MPI_ERR_REQUEST, MPI_COMM_NULL);
    if (Persistent* ours = requests::persistent(*request)) return ours->start();
  }
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  if (count <= 0 || !array_of_requests || requests::table.empty()) return PMPI_Startall(count, array_of_requests);
  return requests::start_all(count, array_of_requests);
}

int MPI_Request_free(MPI_Request* request) {
  if (request && !requests::table.empty())
    if (Pending* pending = requests::table.find(*request)) return requests::free_request(pending, request);
  return PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request* request) {
  Pending* pending = requests::active(request);
  if (!pending) return PMPI_Cancel(request);
  if (pending->is_send()) return MPI_SUCCESS;
  pending->record.cancelled = true;
  pending->record.lands = false;
  MPI_Request host = requests::asked(*pending, *request);
  return PMPI_Cancel(&host);
}

}  // extern "C"
