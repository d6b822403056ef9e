// group/group.hpp: the room group/: groups of ranks. A group is an ordered set of ranks of the
// world (MPI-5.0 §7.2.1). If it has a pattern, it takes a few bytes. No MPI in here.
//
//   const Group world = Group::world(90'000);
//   const Group column = range_incl(world, {{{.first = 7, .last = 89'999, .stride = 300}}});      // operations.hpp
//   column.world_rank(2)     607         column.rank_of(607)     2         column.rank_of(608)    undefined
//
// A group always names ranks of the world, even if it was derived from other groups. A derivation
// composes descriptions (compose.hpp), so a look-up costs the same at any depth. The groups of
// Chaarawi and Gabriel 2008 keep the way to the parent, and pay 0.04 to 0.8 µs for each level.
//
//   formats    identity, stride, list, ranges, grid, chain, bitmap: one file each, and one table (formats.hpp)
//   piece      progressions and nests of them, the form in which groups are composed
//   encoder    ranks one after the other -> the smallest format
//   operations MPI's operations on groups: incl, excl, range_incl, union, ...
//   ask        reads a group that only the MPI library knows, in short pieces
//   described  a table of groups, by the numbers of their handles
//   text       groups as text, for `heddle explain --group`
//
// Groups are values. Copies share their memory on the heap, and several threads may read them at
// once. The last copy frees this memory.
#pragma once

#include <variant>
#include <vector>

#include "group/bitmap.hpp"
#include "group/chain.hpp"
#include "group/grid.hpp"
#include "group/identity.hpp"
#include "group/list.hpp"
#include "group/ranges.hpp"
#include "group/stride.hpp"

namespace heddle::group {

/// The formats by the cost of a look-up, in the places of Group::Members.
enum class Format : std::uint8_t { identity, stride, list, ranges, grid, chain, bitmap };
inline constexpr int formats = 7;

/// Larger worlds are refused, so that differences of ranks stay within 32 bits.
inline constexpr Rank most_ranks = 1 << 30;

class Group {
 public:
  using Members = std::variant<Identity, Stride, List, Ranges, Grid, Chain, Bitmap>;

  /// MPI_GROUP_EMPTY.
  Group() = default;
  /// The ranks 0 ... size - 1.
  static Group world(Rank size);
  Group(Rank size, Members members) : members_(std::move(members)), size_(size) {}

  [[nodiscard]] Rank size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// The world rank of member `rank`, which must be one of 0 ... size() - 1.
  [[nodiscard]] Rank world_rank(Rank rank) const noexcept {
    switch (format()) {
      case Format::identity:
        return rank;
      case Format::stride:
        return std::get_if<Stride>(&members_)->world_rank(rank);
      case Format::list:
        return std::get_if<List>(&members_)->world_rank(rank);
      case Format::ranges:
        return std::get_if<Ranges>(&members_)->world_rank(rank);
      case Format::grid:
        return std::get_if<Grid>(&members_)->world_rank(rank);
      case Format::chain:
        return std::get_if<Chain>(&members_)->world_rank(rank);
      case Format::bitmap:
        return std::get_if<Bitmap>(&members_)->world_rank(rank);
    }
    return undefined;
  }
  /// The rank in this group of a world rank, or undefined.
  [[nodiscard]] Rank rank_of(Rank world) const;
  [[nodiscard]] bool contains(Rank world) const { return rank_of(world) != undefined; }

  [[nodiscard]] Format format() const noexcept { return static_cast<Format>(members_.index()); }
  [[nodiscard]] const Members& members() const noexcept { return members_; }
  /// Bytes of the description of the members: the storage that table 1 of
  /// Chaarawi and Gabriel 2008 counts.
  [[nodiscard]] std::size_t bytes() const;
  /// All bytes: this object, a description on the heap, and the count of its users.
  [[nodiscard]] std::size_t footprint() const;

  /// The group as pieces, in order. Nothing for lists and bitmaps, which have no pieces.
  [[nodiscard]] bool pieces(std::vector<Piece>& out) const;

  /// Calls take(world rank) for each member in order.
  template <class Take>
  void each(Take take) const;

 private:
  Members members_;
  Rank size_ = 0;
};

template <class Take>
void Group::each(Take take) const {
  if (const auto* map = std::get_if<Bitmap>(&members_)) return map->each(take);
  if (const auto* list = std::get_if<List>(&members_)) {
    for (Rank i = 0; i < size_; ++i) take(list->world_rank(i));
    return;
  }
  const auto walk = [&](Rank count, const auto& of) {
    for (Rank i = 0; i < count; ++i) of.piece(i).each(take);
  };
  if (const auto* ranges = std::get_if<Ranges>(&members_)) return walk(ranges->count(), *ranges);
  if (const auto* chain = std::get_if<Chain>(&members_)) return walk(chain->count(), *chain);
  if (const auto* grid = std::get_if<Grid>(&members_)) return grid->piece(size_).each(take);
  const auto* stride = std::get_if<Stride>(&members_);
  for (Rank i = 0; i < size_; ++i) take(stride ? stride->world_rank(i) : i);
}

}  // namespace heddle::group
