// mpi/calls/test.cpp: MPI_Test, MPI_Testall, MPI_Testany, MPI_Testsome.
#include "mpi/p2p/landed_row.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/several.hpp"

namespace heddle::mpi::requests {
namespace {

int test(Pending& pending, MPI_Request* request, int* flag, MPI_Status* status) {
  const StatusOf arrived(status);
  Completing now(pending, request);
  *flag = 0;
  pending.advance(false);
  const int error = PMPI_Test(now.host(), flag, arrived.get());
  now.over();
  if (error == MPI_SUCCESS ? !*flag : remains(pending, *now.host())) {
    completing(pending, false);
    return error;
  }
  return settle(pending, *arrived.get(), error);
}

template <class Room>
int poll_all(Room& room, int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  Poll poll(count, requests, room);
  const int error = PMPI_Testall(count, requests, flag, statuses);
  poll.over();
  if (error == MPI_SUCCESS && !*flag) return error;
  return Row(poll).settle_some(count, nullptr, statuses, error);
}

/// After a handler of the program has heard of an error, MPICH 5.0.2 says that nothing is complete,
/// and that nothing has failed. True: it has completed some requests of Heddle nevertheless.
bool completes_some(Row& row, int count, const MPI_Request* requests) {
  if (!communicators::hides_errors(MPI_COMM_NULL)) return false;
  for (int i = 0; i < count; ++i)
    if (row[i] && !row[i]->record.substituted && requests[i] == MPI_REQUEST_NULL) return true;
  return false;
}

int hidden(Row& row, int count, MPI_Status* statuses) {
  row.settle_some(count, nullptr, statuses, MPI_ERR_IN_STATUS);
  return MPI_SUCCESS;
}

int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  Scratch<MPI_Status> own(statuses == MPI_STATUSES_IGNORE ? count : 1);
  if (!own) return no_memory();
  MPI_Status* const arrived = statuses == MPI_STATUSES_IGNORE ? own.get() : statuses;
  *flag = 0;
  if (Poll::possible()) {
    if (count <= Poll::few) {
      PollRoom<Poll::few> room;
      return poll_all(room, count, requests, flag, arrived);
    }
    LongPollRoom room(count);
    return room ? poll_all(room, count, requests, flag, arrived) : no_memory();
  }
  Row row(count, requests);
  if (!row.readable()) return no_memory();
  if (!row.ours()) return PMPI_Testall(count, requests, flag, statuses);
  const int error = PMPI_Testall(count, row.lend(), flag, arrived);
  row.give_back();
  if (error == MPI_SUCCESS && !*flag) return completes_some(row, count, requests) ? hidden(row, count, arrived) : error;
  return row.settle_some(count, nullptr, arrived, error);
}

}  // namespace
}  // namespace heddle::mpi::requests

using namespace heddle::mpi;

extern "C" {

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (request && flag && requests::table.any_newest())
    if (const Done done = test_newest(request, flag, status)) return Watch::noted(*done);
  if (Pending* pending = requests::active(request); pending && flag)
    return Watch::noted(requests::test(*pending, request, flag, status));
  return Watch::noted(PMPI_Test(request, flag, status));
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
  if (requests::table.empty() || count <= 0 || !array_of_requests || !flag)
    return Watch::noted(PMPI_Testall(count, array_of_requests, flag, array_of_statuses));
  return Watch::noted(requests::test_all(count, array_of_requests, flag, array_of_statuses));
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  if (requests::table.empty() || count <= 0 || !array_of_requests || !indx || !flag)
    return Watch::noted(PMPI_Testany(count, array_of_requests, indx, flag, status));
  return Watch::noted(requests::complete_any(count, array_of_requests, indx, flag, status));
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status array_of_statuses[]) {
  if (requests::table.empty() || incount <= 0 || !array_of_requests || !outcount || !array_of_indices)
    return Watch::noted(PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
  return Watch::noted(
      requests::complete_some(false, incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
}

}  // extern "C"
