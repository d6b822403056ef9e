// mpi/requests/completion.cpp: ends one request at a time; rows of requests are in row.cpp.
#include "mpi/requests/completion.hpp"

#include <sched.h>

#include "mpi/requests/freed.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi::requests {
namespace {

/// The error field belongs to the call that completes, not to the operation (MPI-5.0 §3.2.5).
void copy_but_error(MPI_Status& to, const MPI_Status& from) noexcept {
  const int error = to.MPI_ERROR;
  to = from;
  to.MPI_ERROR = error;
}

}  // namespace

void track_unless_done(MPI_Request handle, Pending* pending) {
  int done = 0;
  MPI_Status status;
  if (PMPI_Request_get_status(handle, &done, &status) != MPI_SUCCESS || !done) return track(handle, pending);
  const int code = pending->finish(status, MPI_SUCCESS);
  const communicators::Hold where = pending->communicator();
  delete pending;
  look_after_freed();
  raise_new(code, where);
}

int settle(Pending& pending, MPI_Status& status, int error) {
  communicators::Hold where;
  const int code = settle_quietly(pending, status, error, where);
  return raise_new(code, Raised::by_host(error), where);
}

int settle_quietly(Pending& pending, MPI_Status& status, int error, communicators::Hold& where) noexcept {
  Pending::Record& record = pending.record;
  int code = error;
  if (record.progress.load(std::memory_order_acquire) == Pending::Progress::finished) {
    copy_but_error(status, record.status);
    if (error == MPI_SUCCESS && !record.hosts_error) code = record.error;
  } else {
    const int before = status.MPI_ERROR;
    code = pending.finish(status, error);
    status.MPI_ERROR = before;
  }
  if (code != error) where = pending.communicator();
  if (record.persistent) {
    record.active = record.lands = record.by_host = record.substituted = record.cancelled = record.hosts_error = false;
    record.inner = MPI_REQUEST_NULL;
    record.progress.store(Pending::Progress::open, std::memory_order_relaxed);
  } else {
    table.erase(record.handle, &pending);
    delete &pending;
  }
  return code;
}

// If a completion call raises an error, the operation is over. MPICH 5.0.2's library of the
// standard ABI does not show it: it converts handles after the call that throws, that is never.
void after_throw(Pending& pending, MPI_Request host) noexcept {
#if defined(HEDDLE_FAMILY_ABI)
  if (!pending.record.persistent) host = MPI_REQUEST_NULL;
#endif
  if (remains(pending, host)) return completing(pending, false);
  MPI_Status status{};
  communicators::Hold where;
  settle_quietly(pending, status, MPI_ERR_OTHER, where);
}

int finish_early(Pending& pending, MPI_Status& status, int error) noexcept {
  Pending::Record& record = pending.record;
  auto open = Pending::Progress::open;
  if (record.progress.compare_exchange_strong(open, Pending::Progress::finishing, std::memory_order_acquire)) {
    record.lands = record.by_host = false;
    record.status = status;
    record.error = pending.finish(record.status, error);
    // The question has made a persistent request inactive, so the host raises its error no more.
    record.hosts_error = error != MPI_SUCCESS && record.error == error && (!record.persistent || record.substituted);
    record.progress.store(Pending::Progress::finished, std::memory_order_release);
  }
  while (record.progress.load(std::memory_order_acquire) != Pending::Progress::finished) sched_yield();
  copy_but_error(status, record.status);
  return record.error;
}

Raised no_memory() { return raise_new(MPI_ERR_NO_MEM, MPI_COMM_NULL); }

}  // namespace heddle::mpi::requests
