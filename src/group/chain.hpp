// group/chain.hpp: strides and grids, one behind the other. Examples are merged
// inter-communicators, unions, and a Cartesian topology without a line.
//
//   0 10 20 30   5 6 7   50 60 51 61 52 62        three pieces: a stride, a stride of step 1, a grid
//
// A chain is one block of numbers: the end of each piece (in ranks), the places of their numbers,
// and the numbers (grid.hpp). With nine and more pieces, it also lists the pieces by their lowest
// world rank, so that a search need not look at all pieces.
#pragma once

#include <memory>
#include <span>

#include "group/grid.hpp"

namespace heddle::group {

class Chain {
 public:
  explicit Chain(std::span<const Piece> pieces);

  [[nodiscard]] Rank world_rank(Rank rank) const noexcept {
    const Rank* const ends = numbers_.get();
    Rank at = 0;
    if (count_ <= few) {
      for (Rank i = 0; i + 1 < count_; ++i) at += rank >= ends[i] ? 1 : 0;
    } else {
      for (Rank left = count_; left > 1;) {
        const Rank half = left / 2;
        at += ends[at + half - 1] <= rank ? half : 0;
        left -= half;
      }
    }
    const Rank* const places = ends + count_;
    const Rank* const piece = ends + places[at];
    return GridNumbers::world_rank(piece, (places[at + 1] - places[at]) / GridNumbers::per_dim,
                                   rank - (at > 0 ? ends[at - 1] : 0));
  }
  [[nodiscard]] Rank rank_of(Rank world) const;
  [[nodiscard]] Rank count() const { return count_; }
  [[nodiscard]] Piece piece(Rank i) const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] static std::size_t bytes(std::span<const Piece> pieces);

 private:
  static constexpr Rank few = 8;
  [[nodiscard]] Rank start(Rank i) const { return i > 0 ? numbers_[i - 1] : 0; }

  std::shared_ptr<const Rank[]> numbers_;  // ends, places, pieces, [pieces by lowest rank, those ranks, highest so far]
  Rank count_;
};

}  // namespace heddle::group
