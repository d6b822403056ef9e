// engine/wait.hpp: waiting for another process of the node. May include nothing of Heddle.
#pragma once

#include <sched.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): nanosleep is POSIX's

namespace heddle::engine {

/// Tells the core that it waits.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `done()`; with more ranks than cores the core is given away instead, or the one waited for would never run.
/// In the end it sleeps: where every rank has a session of its own (MPICH's launcher) the scheduler takes no hint to yield.
template <class Done>
void wait_until(const Done& done, bool crowded) {
  // About 10 us of spinning: longer than packing a segment, shorter than a time slice.
  const int spins = crowded ? 16 : 4096;
  const int yields = spins + (crowded ? 16 : 1024);
  for (int turn = 0; !done(); ++turn) {
    if (turn < spins) {
      relax();
    } else if (turn < yields) {
      sched_yield();
    } else {
      constexpr timespec nap{0, 15'000};
      nanosleep(&nap, nullptr);
    }
  }
}

}  // namespace heddle::engine
