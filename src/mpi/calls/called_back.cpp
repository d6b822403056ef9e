// mpi/calls/called_back.cpp: what the host may call the program back for while it completes requests: from then on rows of
// requests are read before. A communicator's error handler may throw out of a receive, too, leave it by longjmp, or call MPI
// within it: then nothing is concluded from descriptors that this process leaves unclaimed.
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/table.hpp"

namespace heddle::mpi {
namespace {

void expect_calls() noexcept {
  static constinit std::atomic<bool> expected{false};
  if (!expected.exchange(true)) requests::table.count_reason(1);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  Watch::uncertain();
  expect_calls();
  return PMPI_Comm_create_errhandler(function, errhandler);
}

int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  Watch::uncertain();
  expect_calls();
  return PMPI_Errhandler_create(function, errhandler);
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  expect_calls();
  return PMPI_File_create_errhandler(function, errhandler);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  expect_calls();
  return PMPI_Win_create_errhandler(function, errhandler);
}

int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                       MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  expect_calls();
  return PMPI_Grequest_start(query, free, cancel, state, request);
}

}  // extern "C"
