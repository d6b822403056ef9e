// mpi/process/progress_mpich.cpp: MPIX_Async_start, which MPICH has since 4.2. Intel MPI lacks it.
// MPICH makes no progress in a probe of MPI_COMM_SELF, nor in a probe that finds its message at
// once.
#include "engine/base/give_way.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/progress.hpp"

#if !HEDDLE_FAMILY_OPENMPI
namespace heddle::mpi::progress {
namespace {

/// A probe for a message that programs hardly send: the largest tag that all hosts have.
void probe_for_nothing() noexcept {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, 32767, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

}  // namespace
}  // namespace heddle::mpi::progress
#endif

#if HEDDLE_FAMILY_MPICH
#include <sched.h>

#include <atomic>

#pragma weak PMPIX_Async_start
#pragma weak PMPIX_Stream_progress

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

}  // namespace

void once() noexcept {
  if (PMPIX_Stream_progress)
    PMPIX_Stream_progress(MPIX_STREAM_NULL);
  else
    probe_for_nothing();
}

bool begin_yielding() noexcept {
  if (!PMPIX_Async_start) return false;
  polls = true;
  return PMPIX_Async_start(poll, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

void end_yielding() noexcept {
  polls = false;
  once();  // drops hooks that return MPIX_ASYNC_DONE
}

bool begin_calling(Also also) noexcept {
  if (!PMPIX_Async_start) return false;
  called = also;
  return PMPIX_Async_start(call, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

void end_calling() noexcept {
  if (called.exchange(nullptr)) once();
}

}  // namespace heddle::mpi::progress
#elif HEDDLE_FAMILY_ABI
// The standard ABI has no hook.
namespace heddle::mpi::progress {
void once() noexcept { probe_for_nothing(); }
bool begin_yielding() noexcept { return false; }
void end_yielding() noexcept {}
bool begin_calling(void (*)() noexcept) noexcept { return false; }
void end_calling() noexcept {}
}  // namespace heddle::mpi::progress
#endif
