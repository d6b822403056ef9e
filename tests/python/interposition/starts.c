// starts: starts MPI in the way that the first argument names. It works after MPI_Init, and in a
// handler of exit: it writes the file that the second argument names.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* file;
static void work(void) { fclose(fopen(file, "a")); }

int main(int argc, char** argv) {
  const char* how = argv[1];
  file = argv[2];
  if (!strcmp(how, "never")) return 3;
  if (!strcmp(how, "late")) sleep(100);
  atexit(work);
  if (!strcmp(how, "session")) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    work();
    return MPI_Session_finalize(&session);
  }
  int provided;
  if (!strcmp(how, "thread"))
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  work();
  return MPI_Finalize();
}
