// schedule/pieces.hpp: the segments of each rank's block. Made from volumes that all ranks know,
// O(P) time and memory.
//
//   const Pieces pieces(ranks, 64 << 10, [&](Rank of) { return Bytes{recvcounts[of]} * size; });
//   const Place place{.ranks = ranks, .pieces = &pieces};
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedule/nodes.hpp"

namespace heddle::schedule {

class Pieces {
 public:
  /// Segments of `length` bytes; the last segment of a block has the rest. An empty block has one
  /// empty segment.
  template <class Volume>
  Pieces(Rank ranks, std::int64_t length, const Volume& bytes)
      : length_(length), before_(static_cast<std::size_t>(ranks) + 1, 0) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      const std::int64_t count = std::max<std::int64_t>(1, (bytes(rank) + length - 1) / length);
      before_[static_cast<std::size_t>(rank) + 1] = before(rank) + count;
      fewest_ = rank == 0 ? count : std::min(fewest_, count);
    }
  }

  [[nodiscard]] std::int64_t length() const noexcept { return length_; }
  [[nodiscard]] std::int64_t of(Rank rank) const noexcept { return before(rank + 1) - before(rank); }
  /// The pieces of all lower ranks.
  [[nodiscard]] std::int64_t before(Rank rank) const noexcept { return before_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t all() const noexcept { return before_.back(); }
  [[nodiscard]] std::int64_t fewest() const noexcept { return fewest_; }

  /// The rank whose block has the i-th of all pieces. O(log P).
  [[nodiscard]] Rank whose(std::int64_t i) const noexcept {
    return static_cast<Rank>(std::upper_bound(before_.begin(), before_.end(), i) - before_.begin()) - 1;
  }

 private:
  std::int64_t length_;
  std::int64_t fewest_ = 1;
  std::vector<std::int64_t> before_;
};

}  // namespace heddle::schedule
