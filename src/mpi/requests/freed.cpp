// mpi/requests/freed.cpp
#include "mpi/requests/freed.hpp"

#include "mpi/types/arguments.hpp"

namespace heddle::mpi::requests {
namespace {

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

}  // namespace

void let_go(Pending* pending, MPI_Request host) noexcept {
  pending->record.inner = host;
  freed.add(pending);
}

void finish_complete_freed() {
  Wrong wrong;
  freed.look([&](Pending& pending) { return ended(pending, false, wrong); });
  raise_new(wrong.code, wrong.where);
}

void finish_freed() {
  Wrong wrong;
  // The host may still write into the buffers of what is left: it is never deleted.
  freed.give_up([&](Pending& pending) { return ended(pending, pending.ends_by_itself(), wrong); });
  raise_new(wrong.code, wrong.where);
}

}  // namespace heddle::mpi::requests
