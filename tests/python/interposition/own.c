// own: defines its own MPI_Recv, which calls no receive that Heddle sees. A program with a
// statically linked part of an MPI library is like this.
#include <mpi.h>

int MPI_Recv(void* data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request;
  const int result = PMPI_Irecv(data, n, type, source, tag, comm, &request);
  return result == MPI_SUCCESS ? PMPI_Wait(&request, status) : result;
}

/// A library calls its own procedure through a slot, too. The slot says nothing about the receives
/// of others.
int (*const own_receive)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*) = MPI_Recv;
