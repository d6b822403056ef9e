// mpi/requests/freed.cpp: a list, looked at by one thread at a time.
#include "mpi/requests/freed.hpp"

#include <mutex>

#include "mpi/face.hpp"

namespace heddle::mpi::requests {
namespace {

constinit std::mutex lock;
constinit Pending* first = nullptr;

/// Whether the request is gone.
bool ended(Pending& pending, bool wait) noexcept {
  MPI_Status status;
  int done = 0;
  MPI_Request& host = pending.record.inner;
  pending.advance(wait);
  const int error = wait ? PMPI_Wait(&host, &status) : PMPI_Test(&host, &done, &status);
  if (error == MPI_SUCCESS && !done && !wait) return false;
  raise_new(pending.finish(status, error), error, pending.communicator());
  if (host != MPI_REQUEST_NULL) PMPI_Request_free(&host);  // a persistent one
  return true;
}

/// Keeps those of the list that have not ended.
template <class Ended>
void sweep(Ended ended) noexcept {
  Pending* kept = nullptr;
  for (Pending* each = first; each;) {
    Pending* const next = each->record.next;
    if (ended(*each)) {
      delete each;
    } else {
      each->record.next = kept;
      kept = each;
    }
    each = next;
  }
  first = kept;
  any_freed.store(kept != nullptr, std::memory_order_relaxed);
}

}  // namespace

void let_go(Pending* pending, MPI_Request host) noexcept {
  pending->record.inner = host;
  const std::lock_guard guard(lock);
  pending->record.next = first;
  first = pending;
  any_freed.store(true, std::memory_order_relaxed);
}

void finish_complete_freed() noexcept {
  const std::unique_lock guard(lock, std::try_to_lock);
  if (guard) sweep([](Pending& pending) { return ended(pending, false); });
}

void finish_freed() noexcept {
  const std::lock_guard guard(lock);
  sweep([](Pending& pending) { return ended(pending, pending.ends_by_itself()); });
  first = nullptr;  // the host may still write into the buffers of what is left: never freed
}

}  // namespace heddle::mpi::requests
