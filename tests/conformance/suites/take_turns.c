/* conformance/suites/take_turns.c: preloaded into MPICH's jobs with more ranks than cores, alone
 * and under Heddle. MPICH spins while it waits, so ranks wait for each other's time slices. Then an
 * MPI_Allreduce takes milliseconds. This hook in MPICH's progress engine gives the
 * core away. It stands before Heddle's library, and calls it as the program does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000 /* since then it has MPIX_Async_start */

static int over;

static int yields(MPIX_Async_thing thing) {
  (void)thing;
  if (over) return MPIX_ASYNC_DONE;
  sched_yield();
  return MPIX_ASYNC_NOPROGRESS;
}

static int after_init(int result) {
  if (result == MPI_SUCCESS) MPIX_Async_start(yields, 0, MPIX_STREAM_NULL);
  return result;
}

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

int MPI_Init(int* argc, char*** argv) { return after_init(((int (*)(int*, char***))next("MPI_Init"))(argc, argv)); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return after_init(((int (*)(int*, char***, int, int*))next("MPI_Init_thread"))(argc, argv, required, provided));
}

int MPI_Finalize(void) {
  over = 1;
  return ((int (*)(void))next("MPI_Finalize"))();
}

#endif
