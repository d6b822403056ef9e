// schedule/ranks.hpp: sets of ranks that have a pattern, in a few words of memory.
//
//   const Ranks mine = Ranks::interval(me - 3, 4, ranks);   // me - 3 ... me, around the ring
//   mine.contains(origin);  mine.count();
//   mine.for_each([&](Rank origin) { ... });                // in the order me - 3, me - 2, me - 1, me
#pragma once

#include <cstdint>

#include "schedule/nodes.hpp"

namespace heddle::schedule {

/// x modulo `ranks`, never negative.
constexpr Rank around(std::int64_t x, Rank ranks) noexcept {
  const std::int64_t rest = x % ranks;
  return static_cast<Rank>(rest < 0 ? rest + ranks : rest);
}

/// Runs of `run` neighbours around a ring of `modulo`. From `first` on, a run begins every
/// `period`. There are `total` members, so the last run may be shorter. An interval is one run; the
/// digit classes of Bruck are many runs. With `by_node` the numbers are positions in the order by
/// node (Nodes), and the members are the ranks at these positions.
struct Ranks {
  Rank first = 0;
  Rank run = 0;
  Rank period = 1;
  Rank total = 0;
  Rank modulo = 1;
  const Nodes* by_node = nullptr;

  bool operator==(const Ranks&) const = default;

  /// `count` neighbours from `first` on, which may lie beyond either end of the ring.
  static constexpr Ranks interval(std::int64_t first, Rank count, Rank ranks, const Nodes* by_node = nullptr) noexcept {
    return {around(first, ranks), count, ranks, count, ranks, by_node};
  }
  static constexpr Ranks one(Rank rank, Rank ranks) noexcept { return interval(rank, 1, ranks); }
  /// Every `period`-th from `first` on.
  static constexpr Ranks every(Rank period, std::int64_t first, Rank count, Rank ranks) noexcept {
    return {around(first, ranks), 1, period, count, ranks, nullptr};
  }

  [[nodiscard]] Rank count() const noexcept { return total; }
  [[nodiscard]] bool empty() const noexcept { return total == 0; }
  /// One interval of ranks, which may go around the end: their data may lie in one piece.
  [[nodiscard]] bool neighbours() const noexcept { return by_node == nullptr && total <= run; }

  [[nodiscard]] bool contains(Rank rank) const noexcept {
    const Rank away = around(std::int64_t{by_node != nullptr ? by_node->position(rank) : rank} - first, modulo);
    const Rank within = away % period;
    return within < run && std::int64_t{away / period} * run + within < total;
  }

  /// The i-th member, 0 <= i < count().
  [[nodiscard]] Rank at(Rank i) const noexcept { return named(first + std::int64_t{i / run} * period + i % run); }

  /// All members in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    Rank within = 0;
    std::int64_t start = first;
    for (Rank i = 0; i < total; ++i) {
      visit(named(start + within));
      if (++within == run) {
        within = 0;
        start += period;
      }
    }
  }

 private:
  [[nodiscard]] Rank named(std::int64_t place) const noexcept {
    const Rank rank = around(place, modulo);
    return by_node != nullptr ? by_node->rank(rank) : rank;
  }
};

}  // namespace heddle::schedule
