// mpi/requests/freed.cpp: a list, looked at by one thread at a time.
#include "mpi/requests/freed.hpp"

#include <mutex>

#include "mpi/types/arguments.hpp"

namespace heddle::mpi::requests {
namespace {

constinit std::mutex lock;
constinit Pending* first = nullptr;

/// What has gone wrong first: raised when the list is in order again, for the program's handler may throw.
struct Wrong {
  int code = MPI_SUCCESS;
  communicators::Hold where;
};

/// Whether the request is gone.
bool ended(Pending& pending, bool wait, Wrong& wrong) {
  MPI_Status status;
  int done = 0;
  MPI_Request& host = pending.record.inner;
  pending.advance(wait);
  const int error = wait ? PMPI_Wait(&host, &status) : PMPI_Test(&host, &done, &status);
  if (error == MPI_SUCCESS && !done && !wait) return false;
  if (const int code = pending.finish(status, error); code != error && wrong.code == MPI_SUCCESS)
    wrong = {code, pending.communicator()};
  if (host != MPI_REQUEST_NULL) PMPI_Request_free(&host);  // a persistent one
  return true;
}

/// Keeps those of the list that have not ended.
template <class Ended>
void sweep(Ended ended) {
  for (Pending** at = &first; *at;) {
    Pending* const each = *at;
    if (ended(*each)) {
      *at = each->record.next;
      delete each;
    } else {
      at = &each->record.next;
    }
  }
  any_freed.store(first != nullptr, std::memory_order_relaxed);
}

}  // namespace

void let_go(Pending* pending, MPI_Request host) noexcept {
  pending->record.inner = host;
  const std::lock_guard guard(lock);
  pending->record.next = first;
  first = pending;
  any_freed.store(true, std::memory_order_relaxed);
}

void finish_complete_freed() {
  Wrong wrong;
  {
    const std::unique_lock guard(lock, std::try_to_lock);
    if (guard) sweep([&](Pending& pending) { return ended(pending, false, wrong); });
  }
  raise_new(wrong.code, MPI_SUCCESS, wrong.where);
}

void finish_freed() {
  Wrong wrong;
  {
    const std::lock_guard guard(lock);
    sweep([&](Pending& pending) { return ended(pending, pending.ends_by_itself(), wrong); });
    first = nullptr;  // the host may still write into the buffers of what is left: never freed
  }
  raise_new(wrong.code, MPI_SUCCESS, wrong.where);
}

}  // namespace heddle::mpi::requests
