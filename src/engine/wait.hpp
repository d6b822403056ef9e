// engine/wait.hpp: waiting for another process of the node. May include nothing of Heddle.
#pragma once

#include <sched.h>

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
template <class Done>
void wait_until(const Done& done, bool crowded) {
  // About 10 us of spinning: longer than packing a segment, shorter than a time slice.
  for (int spins = crowded ? 16 : 4096;; --spins) {
    if (done()) return;
    if (spins > 0)
      relax();
    else
      sched_yield();
  }
}

}  // namespace heddle::engine
