// engine/base/wait.hpp: waiting for another process of the node.
#pragma once

#include <sched.h>

#include "engine/base/give_way.hpp"

namespace heddle::engine {

/// Tells the core that this thread waits.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits, a little longer each time: spins, then gives the core away, and in the end naps. With
/// more ranks than cores it does not spin for long, or the other process would never run.
class Patience {
 public:
  // About 10 us of spinning: longer than packing a segment, shorter than a time slice.
  explicit Patience(bool crowded) noexcept : Patience(crowded, crowded ? 16 : 1024) {}
  /// @param yields  How often the core is given away before sleep.
  Patience(bool crowded, int yields) noexcept : spins_(crowded ? 16 : 4096), yields_(spins_ + yields) {}

  /// True: the pause was so long that a look at the clock is not felt.
  bool pause() noexcept {
    if (turn_ < spins_) {
      relax();
      return ++turn_ % 16 == 0;
    }
    if (turn_ < yields_) {
      ++turn_;
      sched_yield();
    } else {
      nap();
    }
    return true;
  }
  /// The other process has gone on: pauses are short again.
  void renew() noexcept { turn_ = 0; }

 private:
  int spins_;
  int yields_;
  int turn_ = 0;
};

template <class Done>
void wait_until(const Done& done, bool crowded) {
  for (Patience patience(crowded); !done();) patience.pause();
}

}  // namespace heddle::engine
