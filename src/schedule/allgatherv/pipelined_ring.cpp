// schedule/allgatherv/pipelined_ring.cpp: the ring, with long blocks cut into segments that follow each other.
//
//   first segment of every block around the ring, then the second of those that have one, ...
//
//   round s·(P - 1) + j:   rank r sends segment s of the block of r - j to r + 1   (mod P)
//
// Of one huge block, rank 1 passes on segment 0 while rank 0 sends segment 1. Short blocks have no second segment, and what is
// empty is not sent: those rounds cost nothing.
// Cost: one block of n bytes in segments of b: (n / b + P - 2)(α + βb) beside the short ones, (P - 1)α; the plain ring takes
// (P - 1)(α + βn). Bandwidth is that of the ring, but only the total counts, not how it is spread.
// Source: Träff, Ripke, Siebert, Balaji, Thakur, Gropp: A pipelined algorithm for large, irregular all-gather problems, 2008.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

Count rounds(const Place& place) { return place.segments * (place.ranks - 1); }

Round round(const Place& place, Rank rank, Count k) {
  const Rank p = place.ranks;
  const Segment part{k / (p - 1), place.segments};
  const Count j = k % (p - 1);
  Round round;
  round.send(around(rank + 1LL, p), Ranks::interval(rank - j, 1, p), part);
  round.receive(around(rank - 1LL, p), Ranks::interval(rank - 1 - j, 1, p), part);
  return round;
}

}  // namespace

constinit const Algorithm allgatherv_pipelined_ring{
    .name = "pipelined-ring",
    .description = "the ring with long blocks in segments: a segment is passed on while the next one comes",
    .when = "large volumes, however they are spread",
    .rounds = rounds,
    .round = round,
};

}  // namespace heddle::schedule
