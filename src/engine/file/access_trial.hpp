// engine/file/access_trial.hpp: whether independent accesses are quicker than the library's
// collective ones, by the first accesses to a file. Both ways take turns:
//
//   access      0  1  2  3  4  5  6  7       i: independent, l: the library's
//   way         i  l  l  i  i  l  l  i
//   pair        └──┘  └──┘  └──┘  └──┘       each pair is a vote
//
// If a program alternates between short and long accesses, both ways get as many of each.
//
//   trial.next();
//   trial.library_has_turn() ? collective() : independent();
//   trial.took(time);                                   // not if the access has failed
#pragma once

#include <chrono>

namespace heddle::engine::files {

class AccessTrial {
 public:
  using Time = std::chrono::steady_clock::duration;
  static constexpr int pairs = 4;

  [[nodiscard]] bool over() const noexcept { return number_ == 2 * pairs; }
  /// The next access begins. Not after over().
  void next() noexcept {
    if (number_++ % 2 == 0) has_first_ = false;
  }
  [[nodiscard]] bool library_has_turn() const noexcept { return (number_ & 2) != 0; }
  void took(Time time) noexcept {
    if (number_ % 2 != 0)
      first_ = time, has_first_ = true;
    else if (has_first_)
      votes_ += library_has_turn() ? time < first_ : first_ < time;
  }
  /// Pairs in which the library was quicker.
  [[nodiscard]] int votes() const noexcept { return votes_; }
  /// All ranks decide by the sum of their votes. Chance gives the library half of them.
  [[nodiscard]] static bool library_wins(int votes, int ranks) noexcept { return 3 * votes > 2 * pairs * ranks; }

 private:
  int number_ = 0;
  int votes_ = 0;
  Time first_{};  // of the pair
  bool has_first_ = false;
};

}  // namespace heddle::engine::files
