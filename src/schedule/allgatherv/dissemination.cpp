// schedule/allgatherv/dissemination.cpp: all blocks to all ranks in ceil(log2 P) rounds, any P.
//
//   round k:   rank r sends to r + 2^k, receives from r - 2^k   (mod P)
//
//   P = 5      r0         r1         r2         r3         r4
//   round 0    0 4        1 0        2 1        3 2        4 3
//   round 1    0 4 3 2    1 0 4 3    2 1 0 4    3 2 1 0    4 3 2 1
//   round 2    all        all        all        all        all        (sends only what is missing)
//
// Cost: ceil(log2 P)·α + (total - own)·β. A single huge block travels as a binomial tree, so this
// is the choice when a few outliers dominate. With radix d it sends to r + i·d^k for i = 1 ...
// d - 1 at a time: ceil(log_d P) rounds.
// Source: Han and Finkel 1988; Balaji et al. 2007, §4.2.1, figure 11.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

int radix(const Place& place) { return std::clamp(place.radix, 2, most_radix); }

Count rounds(const Place& place) { return logarithm(place.ranks, radix(place)); }

Round round(const Place& place, Rank rank, Count k) {
  const std::int64_t p = place.ranks;
  std::int64_t reach = 1;
  for (Count i = 0; i < k; ++i) reach *= radix(place);

  Round round;
  for (int i = 1; i < radix(place) && i * reach < p; ++i) {
    const std::int64_t away = i * reach;
    const auto blocks = static_cast<Rank>(std::min(reach, p - away));
    round.send(around(rank + away, place.ranks), Ranks::interval(rank - blocks + 1, blocks, place.ranks));
    round.receive(around(rank - away, place.ranks), Ranks::interval(rank - away - blocks + 1, blocks, place.ranks));
  }
  return round;
}

}  // namespace

constinit const Algorithm allgatherv_dissemination{
    .name = "dissemination",
    .description = "log2 P rounds (log_radix P), any P; each rank sends all its blocks as far ahead as it has blocks",
    .when = "few outliers dominate, or all volumes are small; any P",
    .rounds = rounds,
    .round = round,
};

}  // namespace heddle::schedule
