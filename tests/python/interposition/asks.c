// asks: a tool like tool.c, built like EZTrace. It names no PMPI_ procedure. When it is loaded
// (with LATE, in its first call), it asks the loader for the next procedures with the same names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int (*receive)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
static int (*finalize)(void);
static int receives;

#ifndef LATE
__attribute__((constructor))
#endif
static void
ask(void) {
  receive = dlsym(RTLD_NEXT, "MPI_Recv");
  finalize = dlsym(RTLD_NEXT, "MPI_Finalize");
}

int MPI_Recv(void* data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (!receive) ask();
  ++receives;
  return receive(data, n, type, source, tag, comm, status);
}

int MPI_Finalize(void) {
  if (!finalize) ask();
  const int result = finalize();
  if (receives) fprintf(stderr, "tool: %d receives\n", receives);
  return result;
}
