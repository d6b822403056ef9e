// mpi/requests/several.cpp: one or some of a row of requests.
#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi::requests {
namespace {

int poll_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  *index = MPI_UNDEFINED;
  int found = flag ? 0 : 1;
  Poll poll(count, requests);
  const int error = flag ? PMPI_Testany(count, requests, index, &found, status) : PMPI_Waitany(count, requests, index, status);
  poll.over();
  if (flag) *flag = found;
  if (!found && error == MPI_SUCCESS) return error;
  const StatusOf arrived(status);
  return poll.settle_one(*index, *status, error);
}

int poll_some(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  *n = 0;
  Poll poll(count, requests);
  const int error = (wait ? PMPI_Waitsome : PMPI_Testsome)(count, requests, n, indices, statuses);
  poll.over();
  if (error == MPI_SUCCESS && (*n == 0 || *n == MPI_UNDEFINED)) return error;
  return Row(poll).settle_some(*n, indices, statuses, error);
}

}  // namespace

int complete_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (Poll::possible(count)) return poll_any(count, requests, index, flag, status);
  Row row(count, requests);
  if (!row.readable()) return no_memory();
  if (!row.ours())
    return flag ? PMPI_Testany(count, requests, index, flag, status) : PMPI_Waitany(count, requests, index, status);
  const StatusOf arrived(status);
  *index = MPI_UNDEFINED;
  int found = 0;
  int error = MPI_SUCCESS;
  if (!flag && !row.advances()) {
    error = PMPI_Waitany(count, row.lend(), index, arrived.get());
    found = 1;
  } else {
    do {
      error = PMPI_Testany(count, row.lend(), index, &found, arrived.get());
      if (!flag) row.advance();
    } while (!flag && !found && error == MPI_SUCCESS);
  }
  if (flag) *flag = found;
  row.give_back();
  if (!found && error == MPI_SUCCESS) return error;
  return row.settle_one(*index, *arrived.get(), error);
}

int complete_some(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!own) return no_memory();
  MPI_Status* const arrived = statuses == MPI_STATUSES_IGNORE ? own.get() : statuses;
  if (Poll::possible(count)) return poll_some(wait, count, requests, n, indices, arrived);
  Row row(count, requests);
  if (!row.readable()) return no_memory();
  if (!row.ours()) return (wait ? PMPI_Waitsome : PMPI_Testsome)(count, requests, n, indices, statuses);
  *n = 0;
  int error = MPI_SUCCESS;
  if (wait && !row.advances()) {
    error = PMPI_Waitsome(count, row.lend(), n, indices, arrived);
  } else {
    do {
      error = PMPI_Testsome(count, row.lend(), n, indices, arrived);
      if (wait) row.advance();
    } while (wait && *n == 0 && error == MPI_SUCCESS);
  }
  row.give_back();
  if (error == MPI_SUCCESS && (*n == 0 || *n == MPI_UNDEFINED)) return error;
  return row.settle_some(*n, indices, arrived, error);
}

}  // namespace heddle::mpi::requests
