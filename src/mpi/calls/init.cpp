// mpi/calls/init.cpp: start and end.
#include "mpi/host.hpp"
#include "mpi/start.hpp"

using namespace heddle::mpi;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  check_host(PMPI_Init != nullptr);
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) host_started();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  check_host(PMPI_Init_thread != nullptr);
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) host_started();
  return result;
}

int MPI_Finalize() {
  host_stops();
  return PMPI_Finalize();
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  check_host(PMPI_Session_init != nullptr);
  const int result = PMPI_Session_init(info, errhandler, session);
  if (result == MPI_SUCCESS) host_started();
  return result;
}

int MPI_Session_finalize(MPI_Session* session) {
  host_stops();
  return PMPI_Session_finalize(session);
}

}  // extern "C"
