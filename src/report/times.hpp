// report/times.hpp: the times of a call's parts. If no report is wanted, no clock is read, and the
// cost is one branch.
//
//   Times* times = ...;                                    // null: do not measure
//   { const Stopwatch watch(times, &Times::pack);  pack(); }
#pragma once

#include <cstdint>
#include <ctime>

namespace heddle::report {

/// Times in ns.
struct Times {
  double search = 0;  ///< Analysing the datatype, finding the peer, choosing a way.
  double pack = 0;    ///< Copying from the program's buffer to a staging buffer, and getting that buffer.
  double wait = 0;    ///< Waiting for the other side.
  double copy = 0;    ///< Copying into the program's buffer: unpacking, or pulling from the sender.

  Times& operator+=(const Times& other) {
    search += other.search;
    pack += other.pack;
    wait += other.wait;
    copy += other.copy;
    return *this;
  }
};

/// ns, from some point in the past.
inline double now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// ns on a core, of all threads of this process.
inline double cpu_now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Adds the time of its life to one of the times.
class Stopwatch {
 public:
  Stopwatch(Times* times, double Times::*part) noexcept : into_(times ? &(times->*part) : nullptr) {
    if (into_) start_ = now();
  }
  ~Stopwatch() {
    if (into_) *into_ += now() - start_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* into_;
  double start_ = 0;
};

}  // namespace heddle::report
