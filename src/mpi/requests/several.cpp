// mpi/requests/several.cpp: one or some of a row of requests.
#include "mpi/requests/several.hpp"

#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi::requests {

int complete_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Row row(count, requests, Row::Read::late);
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
  Row row(count, requests, Row::Read::late);
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!row.readable() || !own) return no_memory();
  if (!row.ours()) return (wait ? PMPI_Waitsome : PMPI_Testsome)(count, requests, n, indices, statuses);
  if (statuses == MPI_STATUSES_IGNORE) statuses = own.get();
  *n = 0;
  int error = MPI_SUCCESS;
  if (wait && !row.advances()) {
    error = PMPI_Waitsome(count, row.lend(), n, indices, statuses);
  } else {
    do {
      error = PMPI_Testsome(count, row.lend(), n, indices, statuses);
      if (wait) row.advance();
    } while (wait && *n == 0 && error == MPI_SUCCESS);
  }
  row.give_back();
  if (error == MPI_SUCCESS && (*n == 0 || *n == MPI_UNDEFINED)) return error;
  return row.settle_some(*n, indices, statuses, error);
}

}  // namespace heddle::mpi::requests
