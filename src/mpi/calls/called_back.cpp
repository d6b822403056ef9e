// mpi/calls/called_back.cpp: what the host may call the program back for while it completes requests. Error handlers may throw
// out of a receive, too, leave it by longjmp, or call MPI within it: from then on nothing is concluded from descriptors that
// this process leaves unclaimed, and rows of requests are read before the host completes them.
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/table.hpp"

namespace heddle::mpi {
namespace {

void expect_handlers() noexcept {
  Watch::uncertain();
  requests::called_back.store(true, std::memory_order_relaxed);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  expect_handlers();
  return PMPI_Comm_create_errhandler(function, errhandler);
}

int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  expect_handlers();
  return PMPI_Errhandler_create(function, errhandler);
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  expect_handlers();
  return PMPI_File_create_errhandler(function, errhandler);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  expect_handlers();
  return PMPI_Win_create_errhandler(function, errhandler);
}

int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                       MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  requests::called_back.store(true, std::memory_order_relaxed);
  return PMPI_Grequest_start(query, free, cancel, state, request);
}

}  // extern "C"
