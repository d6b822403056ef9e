// engine/file/access_trial.hpp: whether independent accesses are quicker than the library's
// collective ones, by the first accesses to a file. Both ways take turns:
//
//   access      0  1  2  3  4  5  6  7       i: independent, l: the library's
//   way         i  l  l  i  i  l  l  i
//   pair        └──┘  └──┘  └──┘  └──┘       each pair is a vote
//
// If a program alternates between short and long accesses, both ways get as many of each.
#pragma once

#include <chrono>

namespace heddle::engine::files {

class AccessTrial {
 public:
  using Time = std::chrono::steady_clock::duration;
  static constexpr int pairs = 4;

  [[nodiscard]] bool over() const noexcept { return number_ == 2 * pairs; }
  /// The next access is the library's.
  [[nodiscard]] bool library_is_next() const noexcept { return ((number_ + 1) & 2) != 0; }
  /// The next access took so long. Not after over().
  void took(Time time) noexcept {
    const bool library = library_is_next();
    if (number_++ % 2 == 0)
      first_ = time;
    else
      votes_ += library ? time < first_ : first_ < time;
  }
  /// Pairs in which the library was quicker.
  [[nodiscard]] int votes() const noexcept { return votes_; }
  /// All ranks decide by the sum of their votes. Chance gives the library half of them.
  [[nodiscard]] static bool library_wins(int votes, int ranks) noexcept { return 3 * votes > 2 * pairs * ranks; }

 private:
  int number_ = 0;
  int votes_ = 0;
  Time first_{};
};

}  // namespace heddle::engine::files
