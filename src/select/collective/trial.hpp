// select/collective/trial.hpp: measures in the program's own calls whether Heddle's way of a
// collective or the MPI library's is faster. Some calls go one way, some the other, and the faster
// way is kept. STAR-MPI does so among algorithms (Faraj, Yuan, Lowenthal 2006). Pure: it depends
// only on the call's number and on the measurements of all ranks, so all ranks do the same.
//
//   if (trial.counts()) trial.settle(spans);          // of all ranks: the reduction that began `later` calls ago
//   if (trial.begins()) ...                           // a non-blocking reduction of this rank's measurements
//   const bool library = trial.library();             // this call goes the library's choice
//   const int sample = trial.sample();                // its number among the timed calls; -1: not timed
//   trial.next();
//
//   call   0       8                                32            40                         1064
//          |warm   |HHH LLL LLL HHH LLL HHH HHH LLL |reduction    |the quicker choice counts    |HHH LLL ...
//                    ^^  ^^  ^^  ^^  ^^  ^^  ^^  ^^  timed
//
// A call is not timed if the call before went the other way, because that call has left the data in
// other caches. A way that is kept does not pay that cost.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>

namespace heddle::select {

/// Equal for lists of numbers (0 or more) with the same numbers of binary digits.
constexpr std::uint64_t magnitudes(std::initializer_list<std::int64_t> numbers) noexcept {
  std::uint64_t all = 0;
  for (const std::int64_t number : numbers)
    all = all << 8 | static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(number)));
  return all;
}

class Trial {
 public:
  /// Calls of a trial: runs of three calls, half of the runs each way.
  static constexpr int runs = 8, run = 3, calls = runs * run;
  /// Timed calls: the last two of each run.
  static constexpr int samples = runs * (run - 1);
  /// Calls before the first trial. They settle mailboxes and touch pages.
  static constexpr std::int64_t warm = 8;
  /// Calls from the beginning of a reduction to its end.
  static constexpr std::int64_t later = 8;
  /// Calls from one trial to the next: at first, and later if the answer stays the same.
  static constexpr std::int64_t soon = 1024, seldom = 16 * soon;
  /// The other way must be faster by this factor.
  static constexpr double ahead = 0.97;

  Trial() = default;
  /// @param warmed  Enough calls of this kind have come before.
  explicit Trial(bool warmed) noexcept : begin_(warmed ? 0 : warm) {}

  /// Nanoseconds that each timed call took all ranks.
  using Spans = std::array<std::int64_t, samples>;

  [[nodiscard]] int sample() const noexcept {
    const std::int64_t call = call_ - begin_;
    return tries() && call % run != 0 ? static_cast<int>(call / run * (run - 1) + call % run - 1) : -1;
  }
  [[nodiscard]] bool library() const noexcept {
    return tries() ? by_library(static_cast<int>((call_ - begin_) / run)) : library_;
  }
  [[nodiscard]] bool begins() const noexcept { return call_ == begin_ + calls; }
  [[nodiscard]] bool counts() const noexcept { return call_ == begin_ + calls + later; }
  void next(std::int64_t passed = 1) noexcept { call_ += passed; }
  /// The number of calls from this call on in which nothing is due.
  [[nodiscard]] std::int64_t quiet() const noexcept { return std::max<std::int64_t>(0, begin_ - call_); }

  /// If a span is below 0, clocks differ, and nothing changes.
  void settle(const Spans& spans) noexcept {
    const bool before = library_;
    const double heddle = typical(spans, false);
    const double library = typical(spans, true);
    if (std::ranges::all_of(spans, [](std::int64_t ns) { return ns >= 0; }))
      library_ = library_ ? library <= heddle * (1 / ahead) : library < heddle * ahead;
    interval_ = library_ == before ? std::min(2 * interval_, seldom) : soon;
    begin_ += calls + later + interval_;
  }

 private:
  [[nodiscard]] bool tries() const noexcept { return call_ >= begin_ && call_ < begin_ + calls; }

  /// Thue and Morse's sequence. If two or four calls alternate in a program's loop, as many of each
  /// are timed each way.
  static constexpr bool by_library(int run) noexcept { return std::popcount(static_cast<unsigned>(run)) % 2 == 1; }

  /// The mean without the least and the largest value.
  static double typical(const Spans& spans, bool library) noexcept {
    std::int64_t sum = 0;
    std::int64_t least = INT64_MAX;
    std::int64_t most = 0;
    for (int i = 0; i < samples; ++i) {
      if (by_library(i / (run - 1)) != library) continue;
      const std::int64_t ns = spans[static_cast<std::size_t>(i)];
      sum += ns;
      least = std::min(least, ns);
      most = std::max(most, ns);
    }
    return static_cast<double>(sum - least - most) / (samples / 2 - 2);
  }

  std::int64_t call_ = 0;
  std::int64_t begin_ = warm;
  std::int64_t interval_ = soon / 2;
  bool library_ = false;
};

}  // namespace heddle::select
