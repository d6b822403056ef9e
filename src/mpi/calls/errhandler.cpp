// mpi/calls/errhandler.cpp: error handlers of the program. They may throw out of a receive, or call MPI within one: from then
// on nothing is concluded from descriptors that this process leaves unclaimed.
#include "mpi/p2p/watch.hpp"

using namespace heddle::mpi;

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  Watch::uncertain();
  return PMPI_Comm_create_errhandler(function, errhandler);
}

int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  Watch::uncertain();
  return PMPI_Errhandler_create(function, errhandler);
}

}  // extern "C"
