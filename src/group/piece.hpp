// group/piece.hpp: ranks that a few numbers describe: an arithmetic progression, or a nest of them.
// Groups are composed in this form. formats.hpp has the formats in which they are kept.
//
//   0 1 2   10 11 12   20 21 22     Piece{.first = 0, .size = 9, .dims = 2, .dim = {{3, 1}, {0, 10}}}
//     1 2   10 11 12   20 21        Piece{.first = 0, .skip = 1, .size = 7, ...}: starts late, ends early
//
// The innermost dimension comes first. The count of the outermost does not matter: `size` gives its
// end. With `skip` and an early end, the complement of a plane and a slice of a brick are also one
// piece.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::group {

using Rank = std::int32_t;

/// No such rank: the translation of a process that is not a member (the face makes it
/// MPI_UNDEFINED).
inline constexpr Rank undefined = -1;

struct Dim {
  Rank count = 0;
  Rank step = 0;
  bool operator==(const Dim&) const = default;
};

struct Piece {
  static constexpr int most_dims = 4;

  Rank first = 0;  ///< The rank at place 0 of the nest; below zero where skip jumps over it.
  Rank skip = 0;   ///< Places of the nest before the first member: fewer than the inner dimensions hold.
  Rank size = 0;   ///< Members.
  int dims = 1;
  std::array<Dim, most_dims> dim = {};

  /// first, first + step, ...: one dimension.
  static Piece run(Rank first, Rank step, Rank size);

  [[nodiscard]] Rank operator[](std::int64_t i) const;  ///< Member i; past the end the nest continues.
  [[nodiscard]] Rank last() const { return (*this)[size - 1]; }
  [[nodiscard]] Rank step() const { return dim[0].step; }
  [[nodiscard]] std::int64_t inner() const;       ///< Places of all dimensions but the outermost.
  [[nodiscard]] Rank rank_of(Rank member) const;  ///< Its place, or undefined. Recursive over dimensions.

  /// Bounds of all members; exact where they increase, else those of the whole nest.
  struct Hull {
    Rank low, high;
  };
  [[nodiscard]] Hull hull() const;

  /// A difference between successive members, and its number of occurrences. There is an entry for
  /// each dimension.
  struct Change {
    std::int64_t difference, count;
  };
  [[nodiscard]] std::array<Change, most_dims> changes() const;
  [[nodiscard]] bool increasing() const;
  /// Maximal stretches of neighbouring ranks.
  [[nodiscard]] std::int64_t ranges() const;
  /// True if each dimension steps over the whole reach of the smaller dimensions, so that no member
  /// repeats.
  [[nodiscard]] bool nested() const;

  [[nodiscard]] Piece slice(Rank from, Rank count) const;
  [[nodiscard]] Piece reversed() const;
  /// Appends the members from, from + by, ... to `out`; all `count` of them exist. They are one
  /// piece if `by` and the innermost count divide each other, otherwise a piece for each row of the
  /// nest.
  void strided(Rank from, Rank by, Rank count, std::vector<Piece>& out) const;
  /// The members start + factor · member.
  [[nodiscard]] Piece mapped(Rank start, Rank factor) const;
  /// Describes the same members in as few dimensions as possible.
  [[nodiscard]] Piece plain() const;

  /// Calls take(run) for each row, in order.
  template <class Take>
  void rows(Take take) const;
  /// Calls take(rank) for each member, in order.
  template <class Take>
  void each(Take take) const;
};

template <class Take>
void Piece::rows(Take take) const {
  if (dims == 1) return take(*this);
  for (std::int64_t i = 0; i < size;) {
    const std::int64_t left = dim[0].count - (skip + i) % dim[0].count;
    const auto count = static_cast<Rank>(left < size - i ? left : size - i);
    take(run((*this)[i], dim[0].step, count));
    i += count;
  }
}

template <class Take>
void Piece::each(Take take) const {
  rows([&](const Piece& row) {
    std::int64_t rank = row.first + std::int64_t{row.skip} * row.dim[0].step;
    for (Rank i = 0; i < row.size; ++i, rank += row.dim[0].step) take(static_cast<Rank>(rank));
  });
}

}  // namespace heddle::group
