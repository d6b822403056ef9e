// threads/lock.hpp: mutual exclusion that costs nothing in a program of one thread.
#pragma once

#include <sched.h>

#include <atomic>

#include "threads/read_by_every_call.hpp"

namespace heddle::threads {

/// True if several threads may call at once (MPI_THREAD_MULTIPLE). It is true until MPI's
/// initialization sets it.
HEDDLE_READ_BY_EVERY_CALL extern constinit std::atomic<bool> concurrent;

/// Holders keep it for a few instructions, never around a call of MPI.
class Lock {
 public:
  [[gnu::always_inline]] void lock() noexcept {
    if (concurrent.load(std::memory_order_relaxed)) take();
  }
  [[gnu::always_inline]] void unlock() noexcept {
    if (concurrent.load(std::memory_order_relaxed)) held_.store(false, std::memory_order_release);
  }

 private:
  [[gnu::noinline]] void take() noexcept {
    while (held_.exchange(true, std::memory_order_acquire))
      for (int spins = 0; held_.load(std::memory_order_relaxed); ++spins)
        if (spins > 100) sched_yield();
  }
  std::atomic<bool> held_{false};
};

}  // namespace heddle::threads
