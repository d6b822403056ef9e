// group/identity.hpp: ranks 0 ... size - 1 in order: MPI_COMM_WORLD, its duplicates and its first
// ranks.
//
//   rank        0  1  2  3  4
//   world rank  0  1  2  3  4
#pragma once

#include "group/piece.hpp"

namespace heddle::group {

struct Identity {
  [[nodiscard]] static Rank world_rank(Rank rank) noexcept { return rank; }
  [[nodiscard]] static Rank rank_of(Rank world, Rank size) noexcept { return world >= 0 && world < size ? world : undefined; }
  [[nodiscard]] static std::size_t bytes() { return sizeof(Rank); }  // the size
};

}  // namespace heddle::group
