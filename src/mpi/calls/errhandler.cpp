// mpi/calls/errhandler.cpp: error handlers of the program. They may throw out of a receive, leave it by longjmp, or call MPI
// within it: from then on nothing is concluded from descriptors that this process leaves unclaimed, and rows of requests are
// read before the host completes them.
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/table.hpp"

namespace heddle::mpi {
namespace {

void expect_handlers() noexcept {
  Watch::uncertain();
  requests::handlers.store(true, std::memory_order_relaxed);
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

}  // extern "C"
