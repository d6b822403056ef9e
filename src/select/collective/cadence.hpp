// select/collective/cadence.hpp: at which calls of one communicator ranks begin to tell each other their volumes, and from
// which call on what they have told counts. Goes by the number of the call alone, so all ranks do the same. May include:
// schedule/nodes.hpp.
//
//   if (Cadence::counts(call)) way = choose_alltoallv(agreed(wait_for(reduction), where));
//   if (Cadence::begins(call)) reduction = begin(share_of(...));          // which goes on while calls do
//
//   call   0     8                     61    69                    122   130
//          |begin|from here on: counts |begin|counts               |begin|counts        the first 8 calls go directly
#pragma once

#include <cstdint>

#include "schedule/nodes.hpp"

namespace heddle::select {

struct Cadence {
  /// A reduction of a few words costs about as much as a small call: one in so many is under 2 %. A prime: of calls that take
  /// turns in a program's loop, now the one and now the other is looked at.
  static constexpr std::int64_t every = 61;
  /// By then a reduction is through, unless a rank is so many calls behind the others.
  static constexpr std::int64_t later = 8;
  /// Below, log2 P rounds are hardly fewer than P - 1 messages.
  static constexpr schedule::Rank least_ranks = 8;

  static constexpr bool begins(std::int64_t call) noexcept { return call % every == 0; }
  static constexpr bool counts(std::int64_t call) noexcept { return call % every == later; }
};

}  // namespace heddle::select
