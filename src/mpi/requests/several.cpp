// mpi/requests/several.cpp: long rows, and rows that are looked up before the host is asked.
#include "mpi/requests/several.hpp"

namespace heddle::mpi::requests {

int any_of_many(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  LongPollRoom room(count);
  return room ? poll_any(room, count, requests, index, flag, status) : no_memory();
}

int some_of_many(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  LongPollRoom room(count);
  return room ? poll_some(room, wait, count, requests, n, indices, statuses) : no_memory();
}

int any_of_row(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
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

int some_of_row(bool wait, int count, MPI_Request* requests, int* n, int* indices, MPI_Status* arrived) {
  Row row(count, requests);
  if (!row.readable()) return no_memory();
  if (!row.ours()) return (wait ? PMPI_Waitsome : PMPI_Testsome)(count, requests, n, indices, arrived);
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
