// engine/exchange/turns.hpp: the order in which a rank exchanges blocks with its peers.
//
//   const Turns from = Turns::down(me, ranks);
//   for (int turn = 0; turn < from.size(); ++turn) receive(from.edge(turn), from.block(turn));
//
// A collective of all ranks has a block for each rank. In turn k this rank sends to rank me + k and
// receives from rank me - k. So no rank is the first partner of all others, and turn 0 is this
// rank's own block. A neighbour collective has a block for each edge, in the program's order.
#pragma once

#include <span>

#include "engine/exchange/edges.hpp"
#include "schedule/ranks.hpp"

namespace heddle::engine {

class Turns {
 public:
  /// The order of sends to all ranks: me, me + 1, ...
  static Turns up(schedule::Rank me, schedule::Rank ranks) noexcept { return {me, ranks, 1}; }
  /// The order of receives from all ranks: me, me - 1, ...
  static Turns down(schedule::Rank me, schedule::Rank ranks) noexcept { return {me, ranks, -1}; }
  /// The program's order of neighbours. `edges` outlives the object.
  static Turns along(std::span<const Edge> edges) noexcept { return Turns(edges); }

  [[nodiscard]] int size() const noexcept { return size_; }
  /// The number of the turn's block in the argument of the collective.
  [[nodiscard]] int block(int turn) const noexcept {
    if (edges_) return turn;
    const int rank = me_ + step_ * turn;
    return rank >= size_ ? rank - size_ : rank < 0 ? rank + size_ : rank;
  }
  [[nodiscard]] Edge edge(int turn) const noexcept { return edges_ ? edges_[turn] : Edge{block(turn), 0}; }

 private:
  Turns(schedule::Rank me, schedule::Rank ranks, int step) noexcept : size_(ranks), me_(me), step_(step) {}
  explicit Turns(std::span<const Edge> edges) noexcept : edges_(edges.data()), size_(static_cast<int>(edges.size())) {}

  const Edge* edges_ = nullptr;  // null: all ranks, or no neighbours
  int size_;
  int me_ = 0, step_ = 0;
};

}  // namespace heddle::engine
