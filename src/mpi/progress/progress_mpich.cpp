// mpi/progress/progress_mpich.cpp: MPIX_Async_start, since MPICH 4.2. Intel MPI has no such thing.
#include "mpi/host.hpp"
#include "mpi/progress/progress.hpp"

#if HEDDLE_FAMILY_MPICH
#include <atomic>

#pragma weak PMPIX_Async_start

namespace heddle::mpi::progress {
namespace {

constinit std::atomic<void (*)()> wanted{nullptr};

int poll(MPIX_Async_thing /*thing*/) {
  void (*const body)() = wanted.load(std::memory_order_relaxed);
  if (!body) return MPIX_ASYNC_DONE;
  body();
  return MPIX_ASYNC_NOPROGRESS;
}

}  // namespace

bool hook(void (*body)()) noexcept {
  if (!PMPIX_Async_start) return false;
  wanted = body;
  return PMPIX_Async_start(poll, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

void unhook() noexcept {
  wanted = nullptr;
  // Once more round the engine, which then drops it.
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

}  // namespace heddle::mpi::progress
#elif HEDDLE_FAMILY_ABI
// The standard ABI has no hook.
namespace heddle::mpi::progress {
bool hook(void (* /*body*/)()) noexcept { return false; }
void unhook() noexcept {}
}  // namespace heddle::mpi::progress
#endif
