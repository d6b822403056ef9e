/* heddle/heddle.h: functions of Heddle that MPI does not have. C99 and C++; nothing to link: a
 * program that runs without Heddle gets the fallback named with each function. The sparse exchange
 * is in heddle/exchange.h, which needs mpi.h.
 *
 *   #include <heddle/heddle.h>
 *
 *   double *field = heddle_alloc(n * sizeof *field);      after MPI_Init, before MPI_Finalize
 *   ...
 *   heddle_free(field);
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <heddle/version.h>
#include <heddle/weak.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the interposer; not for programs. */
__attribute__((weak)) void* heddle_shared_allocate(size_t bytes);
__attribute__((weak)) int heddle_shared_release(void* memory);

/* Memory that the other ranks of the node can map: a message of a derived datatype from here
 * reaches them in one pass, straight from layout to layout. Zeroed, aligned to a page; huge pages,
 * where the system has them, once it is sent from often.
 * bytes: 16 KiB and more are worth it. Returns NULL if there is no memory. Without Heddle, or alone
 * on a node: calloc.
 *
 * The memory is a file that peers map. Until heddle_free do not map anything else over it (mmap
 * with MAP_FIXED, mremap): peers would read the file. fork() copies its pages for the child, which
 * takes time. A child made by clone or _Fork cannot access it. MPI_Alloc_mem gives memory without
 * these limits, which peers do not map. */
static inline void* heddle_alloc(size_t bytes) {
  void* (*const shared)(size_t) = HEDDLE_WEAK(heddle_shared_allocate);
  void* memory = shared ? shared(bytes) : NULL;
  return memory ? memory : calloc(1, bytes ? bytes : 1);
}

/* Frees what heddle_alloc returned, before MPI_Finalize; NULL is fine. No message from it may be
 * under way. */
static inline void heddle_free(void* memory) {
  int (*const release)(void*) = HEDDLE_WEAK(heddle_shared_release);
  if (memory && !(release && release(memory))) free(memory);
}

#ifdef __cplusplus
}
#endif

#endif
