// select/collective/cadence.hpp: the calls of one communicator at which ranks begin to exchange
// their volumes, and the calls from which on the result counts. Both depend only on the call's
// number and on agreed facts, so all ranks do the same.
//
//   if (cadence.counts(call)) cadence.settle(chosen(agreed(wait_for(reduction), where)) != choice, calls_for(choice, where));
//   if (cadence.begins(call)) reduction = begin(share_of(...));          // goes on during the next calls
//
//   call   0     8                     61    69                          183   191
//          |begin|counts: another choice  |begin|counts: the same choice       |begin|counts    the first 8 calls go directly
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/nodes.hpp"

namespace heddle::select {

class Cadence {
 public:
  /// A reduction of a few words costs about as much as one or two small calls. The number is prime.
  /// So if different calls alternate in a program's loop, each of them is looked at in turn.
  static constexpr std::int64_t every = 61;
  /// If nothing changes, the time to the next reduction doubles, up to so many calls.
  static constexpr std::int64_t seldom = 8 * every;
  /// A reduction is complete after so many calls, unless a rank is as many calls behind the others.
  static constexpr std::int64_t later = 8;
  /// With fewer ranks, log2 P rounds are hardly fewer than P - 1 messages.
  static constexpr schedule::Rank least_ranks = 8;

  [[nodiscard]] bool begins(std::int64_t call) const noexcept { return call == begin_; }
  [[nodiscard]] bool counts(std::int64_t call) const noexcept { return call == begin_ + later; }
  /// The number of calls from this call on in which nothing is due.
  [[nodiscard]] std::int64_t quiet(std::int64_t call) const noexcept {
    return call <= begin_ ? begin_ - call : std::max<std::int64_t>(0, begin_ + later - call);
  }
  /// Takes the result that counts from this call on. `least`: the interval at which a reduction is
  /// cheap enough (calls_for()).
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
