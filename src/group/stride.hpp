// group/stride.hpp: every n-th rank, forwards or backwards: columns of a process grid, and (step 1)
// its rows.
//
//   first 2, step 3, size 4
//   world   0  1 [2] 3  4 [5] 6  7 [8] 9  10 [11] 12
//                 0        1        2         3
#pragma once

#include "group/piece.hpp"

namespace heddle::group {

struct Stride {
  Rank first = 0, step = 1;

  [[nodiscard]] Rank world_rank(Rank rank) const noexcept { return first + rank * step; }
  [[nodiscard]] Rank rank_of(Rank world, Rank size) const noexcept {
    const std::int64_t steps = (std::int64_t{world} - first) / step;
    return steps >= 0 && steps < size && first + steps * step == world ? static_cast<Rank>(steps) : undefined;
  }
  [[nodiscard]] static std::size_t bytes() { return 3 * sizeof(Rank); }  // and the size, as Chaarawi and Gabriel count it
};

}  // namespace heddle::group
