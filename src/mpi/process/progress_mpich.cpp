// mpi/process/progress_mpich.cpp: MPIX_Async_start, which MPICH has since 4.2. Intel MPI lacks it.
#include "engine/base/give_way.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/progress.hpp"

#if HEDDLE_FAMILY_MPICH
#include <sched.h>

#include <atomic>

#pragma weak PMPIX_Async_start

namespace heddle::mpi::progress {
namespace {

constinit std::atomic<bool> polls{false};

/// The engine calls this in every round, in calls that wait and in calls that do not. If only naps
/// help, it naps once in `rounds` rounds. A call that waits makes that many rounds in a few us.
/// Other calls are hardly slower.
int poll(MPIX_Async_thing /*thing*/) {
  if (!polls.load(std::memory_order_relaxed)) return MPIX_ASYNC_DONE;
  constexpr unsigned rounds = 32;
  static constinit std::atomic<unsigned> round{0};
  const bool naps = !engine::yielding_helps() && round.fetch_add(1, std::memory_order_relaxed) % rounds == rounds - 1;
  if (naps)
    engine::nap();
  else
    sched_yield();
  return MPIX_ASYNC_NOPROGRESS;
}

/// The procedure that the engine calls besides (begin_calling()).
using Also = void (*)() noexcept;
constinit std::atomic<Also> called{nullptr};

int call(MPIX_Async_thing /*thing*/) {
  const Also also = called.load(std::memory_order_acquire);
  if (!also) return MPIX_ASYNC_DONE;
  also();
  return MPIX_ASYNC_NOPROGRESS;
}

/// Runs the engine once more. It then drops the hooks that return MPIX_ASYNC_DONE.
void go_round() noexcept {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

}  // namespace

bool begin_yielding() noexcept {
  if (!PMPIX_Async_start) return false;
  polls = true;
  return PMPIX_Async_start(poll, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

void end_yielding() noexcept {
  polls = false;
  go_round();
}

bool begin_calling(Also also) noexcept {
  if (!PMPIX_Async_start) return false;
  called = also;
  return PMPIX_Async_start(call, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

void end_calling() noexcept {
  if (called.exchange(nullptr)) go_round();
}

}  // namespace heddle::mpi::progress
#elif HEDDLE_FAMILY_ABI
// The standard ABI has no hook.
namespace heddle::mpi::progress {
bool begin_yielding() noexcept { return false; }
void end_yielding() noexcept {}
bool begin_calling(void (*)() noexcept) noexcept { return false; }
void end_calling() noexcept {}
}  // namespace heddle::mpi::progress
#endif
