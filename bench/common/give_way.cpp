// bench/common/give_way.cpp: see give_way.hpp.
#include "common/give_way.hpp"

#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "engine/base/give_way.hpp"

namespace heddle::bench {

void let_others_run() {
  static const bool alone = !engine::yielding_helps() && prctl(PR_SET_TIMERSLACK, 1) == 0;
  if (!alone) {
    sched_yield();
    return;
  }
  const timespec brief{0, 15'000};  // after 5 µs, the kernel would not yet have switched to another process
  nanosleep(&brief, nullptr);
}

void go_first() {
  constexpr int nice = -15;
  if (setpriority(PRIO_PROCESS, 0, nice) == 0 && getsid(0) == getpid()) std::ofstream{"/proc/self/autogroup"} << nice;
}

}  // namespace heddle::bench

// The hook exists since MPICH 4.3. The program may run with an older MPICH, so the symbol is weak.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40300000
#pragma weak MPIX_Async_start

namespace heddle::bench {
namespace {

enum class State { none, hooked, leaving, gone };
State state = State::none;  // MPI calls the hook until MPI_Finalize

int poll(MPIX_Async_thing) {
  if (state == State::leaving) {
    state = State::gone;
    return MPIX_ASYNC_DONE;
  }
  let_others_run();
  return MPIX_ASYNC_NOPROGRESS;
}

}  // namespace

GiveWay::GiveWay(bool needed) {
  if (needed && MPIX_Async_start != nullptr && MPIX_Async_start(poll, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS)
    state = State::hooked;
}

GiveWay::~GiveWay() {
  if (state != State::hooked) return;
  state = State::leaving;
  for (int turn = 0; turn < 1000 && state != State::gone; ++turn) {
    int found;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
}

}  // namespace heddle::bench
#else
namespace heddle::bench {

GiveWay::GiveWay(bool) {}
GiveWay::~GiveWay() = default;

}  // namespace heddle::bench
#endif
