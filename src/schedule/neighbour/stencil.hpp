// schedule/neighbour/stencil.hpp: what goes to many neighbours of a grid, carried one dimension after the other. May include:
// ranks.hpp. Made once for a topology: O(neighbours · dimensions).
//
//   const Stencil stencil({4, 4, 4}, {1, 1, 1}, offsets);           // 26 offsets of three numbers each
//   for (int k = 0; k < stencil.rounds(); ++k)                      // 3
//     for (int i = 0; i < stencil.hops(k); ++i) {                   // 2: one step down, one step up
//       const Stencil::Hop hop = stencil.hop(me, k, i);
//       for (const int block : hop.blocks)
//         if (stencil.travels(me, k, block)) ...                    // goes to hop.to: what I have in this slot
//         if (hop.from != nobody && stencil.travels(hop.from, k, block)) ...   // comes from hop.from, into this slot
//     }
//
// Every rank has a slot for each neighbour: its own block for that neighbour at first, then the one on its way through it. All
// blocks of a round that make the same step travel in one message. With 26 neighbours: 6 messages instead of 26, and 54 block
// moves. Slots are filled by a round only after all of its sends have been read.
// Source: Träff, Hunold et al.: Cartesian collective communication, 2019 (message-combining).
#pragma once

#include <span>
#include <vector>

#include "schedule/ranks.hpp"

namespace heddle::schedule {

constexpr Rank nobody = -1;

class Stencil {
 public:
  /// `extents` and `periodic` of each dimension, the last one running fastest, as in MPI_Cart_create. `offsets`: those of the
  /// first neighbour in each dimension, then of the second. The same on all ranks. Those of nothing but zeros never travel.
  Stencil(std::span<const int> extents, std::span<const int> periodic, std::span<const int> offsets);

  [[nodiscard]] int neighbours() const noexcept { return neighbours_; }
  [[nodiscard]] int rounds() const noexcept { return static_cast<int>(rounds_.size()); }
  [[nodiscard]] int hops(int k) const noexcept { return static_cast<int>(rounds_[index(k)].size()); }

  /// Of one rank. `to` and `from` are `nobody` beyond the grid's edge, and the rank itself where a dimension has one rank only.
  /// Two hops between one pair come in the same order on both sides.
  struct Hop {
    Rank to;
    Rank from;
    std::span<const int> blocks;  ///< Slots that may travel: see travels().
  };
  [[nodiscard]] Hop hop(Rank rank, int k, int i) const noexcept;

  /// Whether what `holder` has in slot `block` before round k is there at all, and goes on: both ends of its way are in the
  /// grid. Always, in a grid that is periodic. Only for blocks of a hop of round k.
  [[nodiscard]] bool travels(Rank holder, int k, int block) const noexcept { return origin(holder, k, block) != nobody; }
  /// Whose block that is; nobody.
  [[nodiscard]] Rank origin(Rank holder, int k, int block) const noexcept;

  /// Whether round k brings a block to where it belongs.
  [[nodiscard]] bool arrives(int k, int block) const noexcept { return last_[index(block)] == k; }
  /// Whether a block's way begins with round k.
  [[nodiscard]] bool begins(int k, int block) const noexcept { return first_[index(block)] == k; }

  /// The neighbour at an offset; nobody beyond the edge.
  [[nodiscard]] Rank neighbour(Rank rank, int block) const noexcept;

  /// For the choice: messages each way of a rank in the middle, and how many moves all blocks make.
  [[nodiscard]] int messages() const noexcept { return messages_; }
  [[nodiscard]] int moves() const noexcept { return moves_; }

 private:
  struct Step {
    int dimension;
    int shift;
    std::vector<int> blocks;
  };
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  [[nodiscard]] int offset(int block, std::size_t dimension) const noexcept {
    return offsets_[index(block) * extents_.size() + dimension];
  }
  [[nodiscard]] Rank shifted(Rank rank, std::size_t dimension, int by) const noexcept;

  std::vector<int> extents_, periodic_, offsets_;
  std::vector<Rank> strides_;
  int neighbours_;
  std::vector<std::vector<Step>> rounds_;
  std::vector<int> first_, last_;
  int messages_ = 0, moves_ = 0;
};

}  // namespace heddle::schedule
