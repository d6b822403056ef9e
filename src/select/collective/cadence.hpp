// select/collective/cadence.hpp: at which calls of one communicator ranks begin to tell each other their volumes, and from
// which call on what they have told counts. Goes by the number of the call and by what all have agreed on: all ranks do the
// same. May include: schedule/nodes.hpp.
//
//   if (cadence.counts(call)) cadence.settle(chosen(agreed(wait_for(reduction), where)) != way, calls_for(way, where));
//   if (cadence.begins(call)) reduction = begin(share_of(...));          // which goes on while calls do
//
//   call   0     8                     61    69                          183   191
//          |begin|counts: another way  |begin|counts: the same way       |begin|counts    the first 8 calls go directly
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/nodes.hpp"

namespace heddle::select {

class Cadence {
 public:
  /// A reduction of a few words costs about as much as a small call or two. A prime: of calls that take turns in a program's
  /// loop, now the one and now the other is looked at.
  static constexpr std::int64_t every = 61;
  /// Where nothing changes it is twice as long until the next one, up to so many calls.
  static constexpr std::int64_t seldom = 8 * every;
  /// By then a reduction is through, unless a rank is so many calls behind the others.
  static constexpr std::int64_t later = 8;
  /// Below, log2 P rounds are hardly fewer than P - 1 messages.
  static constexpr schedule::Rank least_ranks = 8;

  [[nodiscard]] bool begins(std::int64_t call) const noexcept { return call == begin_; }
  [[nodiscard]] bool counts(std::int64_t call) const noexcept { return call == begin_ + later; }
  /// Calls from this one on in which nothing is due.
  [[nodiscard]] std::int64_t quiet(std::int64_t call) const noexcept {
    return call <= begin_ ? begin_ - call : std::max<std::int64_t>(0, begin_ + later - call);
  }
  /// What counts from this call on is known. `least`: in how many calls a reduction is cheap enough (calls_for()).
  void settle(bool changed, std::int64_t least = every) noexcept {
    interval_ = changed ? every : 2 * interval_;
    interval_ = std::min(std::max(interval_, (least + every - 1) / every * every), seldom);
    begin_ += interval_;
  }
  /// Calls from the last reduction to the next.
  [[nodiscard]] std::int64_t interval() const noexcept { return interval_; }

 private:
  std::int64_t begin_ = 0;
  std::int64_t interval_ = every;
};

}  // namespace heddle::select
