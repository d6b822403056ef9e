// schedule/allgatherv/recursive_doubling.cpp: pairs exchange all their blocks, then pairs of pairs,
// and so on.
//
//   P = 8      r0   r1   r2   r3   r4   r5   r6   r7         round k: with the rank that differs in bit k
//   round 0    0-1  0-1  2-3  2-3  4-5  4-5  6-7  6-7
//   round 1    0-3  0-3  0-3  0-3  4-7  4-7  4-7  4-7
//   round 2    all  all  all  all  all  all  all  all
//
// Any P by a fold: with 2^m the largest power of two in P and e = P - 2^m, ranks 1, 3 ... 2e - 1
// give their block to the left neighbour before, and get all other blocks from it after. Every
// message carries an interval of blocks.
// Cost: log2 P·α + (total - own)·β at powers of two. Other P take two more rounds, and the last
// round carries nearly all blocks again: dissemination is better there. Source: Balaji et al. 2007,
// §4.2.1, figure 10.
#include <bit>

#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

/// Ranks that take part in the doubling are numbered 0 ... power - 1; the first `folded` of them
/// stand for two ranks.
struct Fold {
  explicit Fold(Rank ranks)
      : power(static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(ranks)))), folded(ranks - power) {}

  [[nodiscard]] bool outside(Rank rank) const { return rank < 2 * folded && rank % 2 == 1; }
  [[nodiscard]] Rank number(Rank rank) const { return rank < 2 * folded ? rank / 2 : rank - folded; }
  [[nodiscard]] Rank rank(Rank number) const { return number < folded ? 2 * number : number + folded; }

  Rank power;
  Rank folded;
};

Count rounds(const Place& place) {
  const Fold fold(place.ranks);
  return logarithm(fold.power) + (fold.folded > 0 ? 2 : 0);
}

Round round(const Place& place, Rank rank, Count k) {
  const Rank p = place.ranks;
  const Fold fold(p);
  Round round;
  const bool before = fold.folded > 0 && k == 0;
  const bool after = fold.folded > 0 && k == rounds(place) - 1;
  if (before || after) {
    if (rank >= 2 * fold.folded) return round;
    const Rank left = rank & ~1;
    const Ranks what = before ? Ranks::one(left + 1, p) : Ranks::interval(left + 2LL, p - 1, p);
    if (fold.outside(rank) == before) {
      round.send(rank ^ 1, what);
    } else {
      round.receive(rank ^ 1, what);
    }
    return round;
  }
  if (fold.outside(rank)) return round;
  const Rank have = Rank{1} << (k - (fold.folded > 0 ? 1 : 0));
  const Rank mine = fold.number(rank);
  const auto those = [&](Rank number) {
    const Rank first = number & ~(have - 1);
    return Ranks::interval(fold.rank(first), fold.rank(first + have) - fold.rank(first), p);
  };
  round.send(fold.rank(mine ^ have), those(mine));
  round.receive(fold.rank(mine ^ have), those(mine ^ have));
  return round;
}

}  // namespace

constinit const Algorithm allgatherv_recursive_doubling{
    .name = "recursive-doubling",
    .description = "log2 P rounds, pairs exchange all their blocks; other P fold the ranks beyond the power of two",
    .when = "few outliers dominate, or all volumes are small; P a power of two",
    .rounds = rounds,
    .round = round,
};

}  // namespace heddle::schedule
