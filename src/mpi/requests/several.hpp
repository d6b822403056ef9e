// mpi/requests/several.hpp: completes one or some of a row of requests.
//
// The host may yield within a poll. If ranks share cores, most polls do. After that, no return is
// predicted, and each frame between the program and the host costs 11 ns (four ranks on two cores).
// So a poll has one frame: MPI_Testany's own.
#pragma once

#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi::requests {

/// These look the requests up before the host is asked. `statuses` are real statuses, not
/// MPI_STATUSES_IGNORE.
int any_of_row(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
int some_of_row(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses);
/// These take more requests than Poll::few.
int any_of_many(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
int some_of_many(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses);

template <class Room>
[[gnu::always_inline]] inline int poll_any(Room& room, int count, MPI_Request* requests, int* index, int* flag,
                                           MPI_Status* status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  *index = MPI_UNDEFINED;
  int found = flag ? 0 : 1;
  Poll poll(count, requests, room);
  const int error = flag ? PMPI_Testany(count, requests, index, &found, status) : PMPI_Waitany(count, requests, index, status);
  poll.over();
  if (flag) *flag = found;
  if (!found && error == MPI_SUCCESS) return error;
  const StatusOf arrived(status);
  return poll.settle_one(*index, *status, error);
}

template <class Room>
[[gnu::always_inline]] inline int poll_some(Room& room, bool wait, int count, MPI_Request* requests, int* n, int* indices,
                                            MPI_Status* statuses) {
  *n = 0;
  Poll poll(count, requests, room);
  const int error = (wait ? PMPI_Waitsome : PMPI_Testsome)(count, requests, n, indices, statuses);
  poll.over();
  if (error == MPI_SUCCESS && (*n == 0 || *n == MPI_UNDEFINED)) return error;
  return poll.settle_some(*n, indices, statuses, error);
}

/// The common part of MPI_Waitany and MPI_Testany, and that of MPI_Waitsome and MPI_Testsome. The
/// caller has seen that the table is not empty, and count > 0.
/// @param flag  Null: the call waits.
[[gnu::always_inline]] inline int complete_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (!Poll::possible()) return any_of_row(count, requests, index, flag, status);
  if (count <= Poll::few) [[likely]] {
    PollRoom<Poll::few> room;
    return poll_any(room, count, requests, index, flag, status);
  }
  return any_of_many(count, requests, index, flag, status);
}

[[gnu::always_inline]] inline int complete_some(bool wait, int count, MPI_Request* requests, int* n, int* indices,
                                                MPI_Status* statuses) {
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!own) return no_memory();
  MPI_Status* const arrived = statuses == MPI_STATUSES_IGNORE ? own.get() : statuses;
  if (!Poll::possible()) return some_of_row(wait, count, requests, n, indices, arrived);
  if (count <= Poll::few) [[likely]] {
    PollRoom<Poll::few> room;
    return poll_some(room, wait, count, requests, n, indices, arrived);
  }
  return some_of_many(wait, count, requests, n, indices, arrived);
}

}  // namespace heddle::mpi::requests
