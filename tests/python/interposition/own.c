// own: receives of its own under MPI's name, which no receive of the library is behind that Heddle could see. As where a part of
// an MPI library is linked in statically.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

int MPI_Recv(void* data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request;
  const int result = PMPI_Irecv(data, n, type, source, tag, comm, &request);
  return result == MPI_SUCCESS ? PMPI_Wait(&request, status) : result;
}
