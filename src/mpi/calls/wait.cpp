// mpi/calls/wait.cpp: MPI_Wait, MPI_Waitall, MPI_Waitany, MPI_Waitsome. The host completes
// requests, Heddle does the rest.
#include <utility>

#include "mpi/p2p/landed_row.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/several.hpp"
#include "threads/picked.hpp"

namespace heddle::mpi::requests {
namespace {

int wait(Pending& pending, MPI_Request* request, MPI_Status* status) {
  const StatusOf arrived(status);
  Completing now(pending, request);
  pending.advance(true);
  const int error = PMPI_Wait(now.host(), arrived.get());
  now.over();
  if (error != MPI_SUCCESS && remains(pending, *now.host())) {
    completing(pending, false);
    return error;
  }
  return settle(pending, *arrived.get(), error);
}

/// The error of a single request in a row of one.
int error_in(int result, const MPI_Status& status) noexcept {
  int kind = MPI_SUCCESS;
  if (result == MPI_SUCCESS) return status.MPI_ERROR;
  if (PMPI_Error_class(result, &kind) != MPI_SUCCESS) return result;
  return kind == MPI_ERR_IN_STATUS ? status.MPI_ERROR : result;
}

/// For a request that is not waited for, because another one has failed. Null and inactive requests
/// have an empty status nevertheless, and a complete request may be completed (MPI-5.0 §3.7.5).
int leave(MPI_Request& request, MPI_Status& status) {
  int complete = 0;
  MPI_Status now;
  if (PMPI_Request_get_status(request, &complete, &now) != MPI_SUCCESS || !complete) return MPI_ERR_PENDING;
  status = now;  // MPICH 5.0.2 has made a persistent request inactive by this: its next status is empty
  return PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
}

/// Request i is Heddle's. The handler does not hear of its error, because it has heard of another
/// one.
int leave(Row& row, int i, MPI_Request& request, MPI_Status& status) {
  Pending& pending = *row[i];
  MPI_Request* const host = asked(pending, &request);
  int complete = 0;
  MPI_Status now;
  pending.advance(false);
  if (PMPI_Request_get_status(*host, &complete, &now) != MPI_SUCCESS || !complete) return MPI_ERR_PENDING;
  int error = MPI_SUCCESS;
  {
    const Quiet quiet(pending.communicator());
    error = PMPI_Test(host, &complete, &status);
  }
  return error != MPI_SUCCESS && remains(pending, *host) ? error : row.settle(i, status, error);
}

/// Waits for all requests by one call of the host. `statuses` are this call's own.
int wait_all_brief(Row& row, int count, Scratch<MPI_Status>& statuses) {
  for (int i = 0; i < count; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
  const int result = PMPI_Waitall(count, row.lend(), statuses.get());
  row.give_back();
  // MPICH 5.0.2 returns success once a handler of the program has heard of the error. The statuses
  // then have the error.
  int error = result;
  for (int i = 0; i < count && error == MPI_SUCCESS; ++i)
    if (row[i] && statuses[i].MPI_ERROR != MPI_SUCCESS) error = MPI_ERR_IN_STATUS;
  const int settled = row.settle_some(count, nullptr, statuses.get(), error);
  return error == result ? settled : result;
}

// Waits for Heddle's requests one by one, in order, and finishes each while later messages still
// arrive. Then waits for the other requests.
int wait_all(Row& row, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!row.readable()) return no_memory();
  if (!row.ours()) return PMPI_Waitall(count, requests, statuses);
  const bool wanted = statuses != MPI_STATUSES_IGNORE;
  if (!wanted && row.is_brief())
    if (Scratch<MPI_Status> own(count); own) return wait_all_brief(row, count, own);
  Scratch<int> codes(wanted ? count : 1);
  Scratch<bool> ours(wanted ? count : 1);
  // The host's own requests, one after the other.
  threads::Picked<MPI_Request, MPI_Status> others(row.all_ours() ? 0 : count, requests, [&](int i) { return !row[i]; });
  if (!codes || !ours || !others) return no_memory();
  for (int i = 0; wanted && i < count; ++i) codes[i] = MPI_SUCCESS;
  for (int i = 0; wanted && i < count; ++i) ours[i] = false;

  // The host raises an error each time. So after the first error, the other requests are left as
  // they are (MPI_ERR_PENDING, MPI-5.0 §3.7.5): the program's handler hears of one error.
  bool hidden = false;
  bool host_failed = false;
  bool we_failed = false;
  for (int i = 0; i < count && !host_failed; ++i) {
    Pending* pending = row[i];
    if (!pending) continue;
    MPI_Status own;
    MPI_Status& status = wanted ? statuses[i] : own;
    MPI_Request* const host = asked(*pending, &requests[i]);
    pending->advance(true);
    // MPICH 5.0.2 returns success once a handler of the program has heard of the error. The status
    // then has the error.
    const int field = std::exchange(status.MPI_ERROR, MPI_SUCCESS);
    const int waited = PMPI_Waitall(1, host, &status);
    int code = error_in(waited, status);
    host_failed = code != MPI_SUCCESS;
    hidden = host_failed && waited == MPI_SUCCESS;
    status.MPI_ERROR = field;
    if (code == MPI_SUCCESS || !remains(*pending, *host)) {
      const int before = code;
      code = row.settle(i, status, before);
      we_failed |= code != before;
    }
    if (wanted) codes[i] = code;
    if (wanted) ours[i] = true;
  }
  if (host_failed) {
    for (int i = 0; wanted && i < count; ++i) {
      int code = MPI_ERR_PENDING;
      if (ours[i])
        code = codes[i];
      else if (!row[i])
        code = leave(requests[i], statuses[i]);
      else if (!traits().leaves_behind_failed)
        code = leave(row, i, requests[i], statuses[i]);
      statuses[i].MPI_ERROR = code;
    }
    return hidden ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
  }

  // Never without statuses: Open MPI 5.0.11 then misses the truncation of a message that is there
  // already.
  const int result = others.call(requests, wanted ? statuses : nullptr, PMPI_Waitall);
  if (!we_failed && result == MPI_SUCCESS) return MPI_SUCCESS;
  for (int i = 0; wanted && i < count; ++i)
    if (ours[i] || result == MPI_SUCCESS) statuses[i].MPI_ERROR = codes[i];
  const Raised raised = row.raise_in_status(result != MPI_SUCCESS);
  return result == MPI_SUCCESS && we_failed && raised != MPI_SUCCESS ? MPI_ERR_IN_STATUS : result;
}

int wait_all_of_many(int count, MPI_Request* requests, MPI_Status* statuses) {
  Row row(count, requests);
  return wait_all(row, count, requests, statuses);
}

[[gnu::noinline]] int wait_all_found(const ShortRow& found, MPI_Status* statuses) {
  Pending* room[ShortRow::most];
  Row row(found, room);
  return wait_all(row, found.count, found.requests, statuses);
}

[[gnu::hot]] int wait_all_of_few(int count, MPI_Request* requests, MPI_Status* statuses) {
  const ShortRow found(count, requests);
  if (found.known == 0) return PMPI_Waitall(count, requests, statuses);
  return all_land(found) ? wait_all_landing(found, statuses) : wait_all_found(found, statuses);
}

}  // namespace
}  // namespace heddle::mpi::requests

using namespace heddle::mpi;

extern "C" {

[[gnu::hot]] decltype(MPI_Waitall) MPI_Waitall;

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (request && requests::table.any_newest())
    if (const Done done = wait_newest(request, status)) return Watch::noted(*done);
  if (Pending* pending = requests::active(request)) return Watch::noted(requests::wait(*pending, request, status));
  return Watch::noted(PMPI_Wait(request, status));
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
  if (requests::table.empty() || count <= 0 || !array_of_requests)
    return Watch::noted(PMPI_Waitall(count, array_of_requests, array_of_statuses));
  if (requests::table.any_newest() && count <= requests::ShortRow::most)
    if (const Done done = wait_all_newest(count, array_of_requests, array_of_statuses)) return Watch::noted(*done);
  if (count > requests::ShortRow::most)
    return Watch::noted(requests::wait_all_of_many(count, array_of_requests, array_of_statuses));
  return Watch::noted(requests::wait_all_of_few(count, array_of_requests, array_of_statuses));
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  if (requests::table.empty() || count <= 0 || !array_of_requests || !indx)
    return Watch::noted(PMPI_Waitany(count, array_of_requests, indx, status));
  return Watch::noted(requests::complete_any(count, array_of_requests, indx, nullptr, status));
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status array_of_statuses[]) {
  if (requests::table.empty() || incount <= 0 || !array_of_requests || !outcount || !array_of_indices)
    return Watch::noted(PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
  return Watch::noted(requests::complete_some(true, incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
}

}  // extern "C"
