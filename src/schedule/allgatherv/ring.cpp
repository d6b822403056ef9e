// schedule/allgatherv/ring.cpp: every block goes around the ring once, to the next neighbour in
// each round.
//
//   round k:   rank r sends the block of r - k to r + 1, receives that of r - 1 - k from r - 1   (mod P)
//
// Cost: (P - 1)(α + β · largest block of the round). Each round waits for its largest block, so a
// single huge block delays P - 1 rounds. For long blocks of equal length no algorithm is better.
// Today's libraries use the ring for every large total. Source: Balaji et al. 2007, §3.2, figure 8.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

Count rounds(const Place& place) { return place.ranks - 1; }

Round round(const Place& place, Rank rank, Count k) {
  const Rank p = place.ranks;
  Round round;
  round.send(around(rank + 1LL, p), Ranks::interval(rank - k, 1, p));
  round.receive(around(rank - 1LL, p), Ranks::interval(rank - 1 - k, 1, p));
  return round;
}

}  // namespace

constinit const Algorithm allgatherv_ring{
    .name = "ring",
    .description = "P - 1 rounds, one block to the next neighbour in each",
    .when = "blocks are long and of about one length",
    .rounds = rounds,
    .round = round,
};

}  // namespace heddle::schedule
