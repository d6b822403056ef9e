// group/ranges.hpp: stretches of neighbouring ranks, in any order. Eight bytes each; more than 32
// carry an index.
//
//   4 5 6   0 1   9        ends   3  5  6     where the next stretch begins, in ranks of the group
//                          moves  4 -3  4     world rank - rank, the same for a whole stretch
//
// A search counts through up to eight stretches without a branch. Among many stretches it uses the
// index (the first stretch of each 1/8·n-th part of the ranks), and a binary search between two of
// its entries.
#pragma once

#include <memory>

#include "group/piece.hpp"

namespace heddle::group {

class Ranges {
 public:
  class Builder;

  [[nodiscard]] Rank world_rank(Rank rank) const noexcept {
    const Rank* const ends = numbers_.get();
    const Rank* const moves = ends + count_;
    if (count_ > few) return rank + moves[search(rank)];
    Rank at = 0;
    for (Rank i = 0; i + 1 < count_; ++i) at += rank >= ends[i] ? 1 : 0;
    return rank + moves[at];
  }
  [[nodiscard]] Rank rank_of(Rank world) const noexcept;
  [[nodiscard]] std::size_t bytes() const { return bytes(count_, increasing_); }
  [[nodiscard]] static std::size_t bytes(std::int64_t count, bool increasing);
  [[nodiscard]] Rank count() const { return count_; }
  [[nodiscard]] Piece piece(Rank i) const;

 private:
  static constexpr Rank few = 8;
  [[nodiscard]] Rank search(Rank rank) const noexcept;
  [[nodiscard]] Rank start(Rank i) const { return i > 0 ? numbers_[i - 1] : 0; }

  std::shared_ptr<const Rank[]> numbers_;  // ends, moves, [index,] [stretches by world rank]
  Rank count_ = 0;
  std::uint8_t shift_ = 0;  // of the index
  bool increasing_ = true;
};

/// Ranks in order, one stretch after the other.
class Ranges::Builder {
 public:
  /// Reserves memory for `count` stretches.
  Builder(Rank count, bool increasing);
  void add(Rank first, Rank size);
  [[nodiscard]] Ranges finish();

 private:
  std::shared_ptr<Rank[]> numbers_;
  Rank count_, filled_ = 0, size_ = 0;
  bool increasing_;
};

}  // namespace heddle::group
