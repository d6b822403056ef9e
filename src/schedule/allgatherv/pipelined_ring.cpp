// schedule/allgatherv/pipelined_ring.cpp: the ring, with blocks cut into segments that follow each
// other without a gap.
//
//   blocks of 3, 1 and 2 segments:    r0 → r1    a0 a1 a2 c0 c1           own block, then that of the rank before, ...
//                                     r1 → r2    b0 a0 a1 a2
//   round                             r2 → r0    c0 c1 b0
//   0   1   2   3   4
//
// A rank has the data that it sends in round k by round k - (segments of its own block, at least
// one). So rank 1 passes on a segment of a huge block while rank 0 sends the next. Cost: each link
// carries all data but one block once, (total)·β, and a segment for each hop fills the pipeline:
// (P - 2)(α + βb). So only the total counts, not its spread; the plain ring takes
// (P - 1)(α + β·largest). Source: Träff, Ripke, Siebert, Balaji, Thakur, Gropp: A pipelined
// algorithm for large, irregular all-gather problems, 2008.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

struct Piece {
  Rank origin;
  Segment part;
};

/// The k-th piece that rank `from` sends. Blocks follow each other downwards, segments of a block
/// upwards.
Piece sent(const Pieces& pieces, Rank from, Count k) {
  Count at = pieces.before(from + 1) - 1 - k;
  if (at < 0) at += pieces.all();
  const Rank origin = pieces.whose(at);
  return {origin, {pieces.before(origin + 1) - 1 - at, pieces.of(origin)}};
}

Count rounds(const Place& place) {
  return place.pieces != nullptr ? place.pieces->all() - place.pieces->fewest() : place.ranks - 1;
}

Round round(const Place& place, Rank rank, Count k) {
  const Rank p = place.ranks;
  const Rank to = around(rank + 1LL, p);
  const Rank from = around(rank - 1LL, p);
  Round round;
  if (place.pieces == nullptr) {
    round.send(to, Ranks::interval(rank - k, 1, p));
    round.receive(from, Ranks::interval(from - k, 1, p));
    return round;
  }
  const Pieces& pieces = *place.pieces;
  if (k < pieces.all() - pieces.of(to)) {
    const Piece next = sent(pieces, rank, k);
    round.send(to, Ranks::one(next.origin, p), next.part);
  }
  if (k < pieces.all() - pieces.of(rank)) {
    const Piece next = sent(pieces, from, k);
    round.receive(from, Ranks::one(next.origin, p), next.part);
  }
  return round;
}

}  // namespace

constinit const Algorithm allgatherv_pipelined_ring{
    .name = "pipelined-ring",
    .description = "the ring with long blocks in segments: a rank passes on a segment while the next arrives",
    .when = "large volumes with any spread",
    .rounds = rounds,
    .round = round,
};

}  // namespace heddle::schedule
