// plugin: loaded with RTLD_DEEPBIND, so it finds MPI in its own libraries before all others.
#include <mpi.h>

int receive(void* data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return MPI_Recv(data, n, type, source, tag, comm, status);
}
