// own: receives of its own under MPI's name, behind which Heddle sees no receive of the library's. As where a part of an MPI
// library is linked in statically.
#include <mpi.h>

int MPI_Recv(void* data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request;
  const int result = PMPI_Irecv(data, n, type, source, tag, comm, &request);
  return result == MPI_SUCCESS ? PMPI_Wait(&request, status) : result;
}

/// What a library takes of its own goes through a slot, too, which says nothing of others' receives.
int (*const own_receive)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*) = MPI_Recv;
