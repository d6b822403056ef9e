// report/times.hpp: where the time of a call goes. Nothing is read from a clock, and one branch is
// all it costs, where nobody wants to know.
//
//   Times* times = ...;                                    // null: nobody wants to know
//   { const Stopwatch watch(times, &Times::pack);  pack(); }
#pragma once

#include <cstdint>
#include <ctime>

namespace heddle::report {

/// ns.
struct Times {
  double search = 0;  ///< What the datatype looks like, where the peer is, which way to take.
  double pack = 0;    ///< From the program's buffer to where it travels, and room for it there.
  double wait = 0;    ///< For the other side.
  double copy = 0;    ///< To its place in the program's buffer: unpacked, or pulled from the sender.

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

/// Adds the time of its life to one of them.
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
