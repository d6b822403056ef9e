// group/grid.hpp: strides within strides, in any order of the axes. They describe planes, lines and
// bricks of Cartesian topologies, their complements, and all but every k-th rank.
//
//   4 × 6 ranks, the middle columns:   . . 0 1 . .      first 2, two rows of numbers: 2 × 1 within _ × 6
//                                      . . 2 3 . .
//                                      . . 4 5 . .
//                                      . . 6 7 . .
//
// Multiplication with reciprocals takes a rank apart (Lemire, Kaser and Kurz 2019: exact for 32
// bits). This takes two or three cycles a dimension; a division takes ten or more.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "group/piece.hpp"

namespace heddle::group {

__extension__ using Product = unsigned __int128;

/// A nest in the form for quick look-ups. It has first, skip and the step of the outermost
/// dimension. Each inner dimension has its count, its step and the reciprocal of its count.
/// chain.hpp keeps many such nests.
struct GridNumbers {
  static constexpr int fixed = 3, per_dim = 4;

  [[nodiscard]] static int length(const Piece& piece) { return fixed + per_dim * (piece.dims - 1); }
  static void write(const Piece& piece, Rank* to);
  [[nodiscard]] static Piece read(const Rank* numbers, int length, Rank size);

  [[nodiscard]] static Rank world_rank(const Rank* numbers, int inner, Rank rank) noexcept {
    std::uint32_t place = static_cast<std::uint32_t>(rank) + static_cast<std::uint32_t>(numbers[1]);
    auto world = static_cast<std::uint32_t>(numbers[0]);
    for (const Rank* dim = numbers + fixed; inner > 0; --inner, dim += per_dim) {
      std::uint64_t reciprocal;
      std::memcpy(&reciprocal, dim + 2, sizeof reciprocal);
      const auto quotient = static_cast<std::uint32_t>((static_cast<Product>(reciprocal) * place) >> 64);
      world += (place - quotient * static_cast<std::uint32_t>(dim[0])) * static_cast<std::uint32_t>(dim[1]);
      place = quotient;
    }
    return static_cast<Rank>(world + place * static_cast<std::uint32_t>(numbers[2]));
  }
};

class Grid {
 public:
  explicit Grid(const Piece& piece);

  [[nodiscard]] Rank world_rank(Rank rank) const noexcept { return GridNumbers::world_rank(numbers_.get(), inner_, rank); }
  [[nodiscard]] Rank rank_of(Rank world, Rank size) const { return piece(size).rank_of(world); }
  [[nodiscard]] Piece piece(Rank size) const {
    return GridNumbers::read(numbers_.get(), GridNumbers::fixed + GridNumbers::per_dim * inner_, size);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes(inner_ + 1); }
  [[nodiscard]] static std::size_t bytes(int dims) {
    return sizeof(Rank) * static_cast<std::size_t>(1 + GridNumbers::fixed + GridNumbers::per_dim * (dims - 1));
  }

 private:
  std::shared_ptr<const Rank[]> numbers_;
  int inner_;
};

}  // namespace heddle::group
