// schedule/alltoallv/crystal.cpp: all data for the other half cross over in one bundle; then the
// same within each half.
//
//   P = 5                0 1 2 │ 3 4       round 0: each rank sends all data for the other side: 2 ⇄ 3, 1 ⇄ 4, 0 → 4
//                      0 1 │ 2   3 │ 4     round 1: 1 ⇄ 2, 0 → 2, 3 ⇄ 4
//                      0 │ 1               round 2: 0 ⇄ 1
//
// Halves differ by at most one rank, so any P takes ceil(log2 P) rounds. A rank sends to its mirror
// image in the other half. A surplus rank sends to the last rank there, which then receives two
// bundles, and receives none itself. So data for a near rank across the border of two halves stay
// near that rank in the next round, too. If the i-th rank sent to the i-th, data would cross in all
// later rounds.
//
// With radix d a group splits into d parts, and each rank sends d - 1 bundles at a time: ceil(log_d
// P) rounds. With channels c each bundle travels as c messages, over several paths if there are
// any. Cost: ceil(log2 P)·α. Each byte moves at most ceil(log2 P) times: about half of the bytes in
// each round if destinations are spread evenly. Partners need not be known.
//
// Source: Fox et al. 1988; Schliephake and Laure 2013, algorithm 1. Their version is for powers of
// two and begins with the lowest bit. Here the far half comes first: neighbours in rank often share
// a node, and exchange data last.
#include "schedule/alltoallv/crystal.hpp"

#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

struct Group {
  Rank first;
  Rank size;

  /// The mirror image in `other` of the i-th rank of this group, across their border. It may be
  /// beyond the end of `other`.
  [[nodiscard]] Rank opposite(const Group& other, Rank i) const { return std::max(size, other.size) - 1 - i; }
  /// The rank of `other` that receives from a rank of this group: its mirror image, or the last
  /// rank.
  [[nodiscard]] Rank receiver(const Group& other, Rank rank) const {
    return other.first + std::min(opposite(other, rank - first), other.size - 1);
  }
};

/// A group's parts. Sizes differ by at most one; larger parts come first.
struct Split {
  Split(const Group& all, int radix)
      : group(all), parts(std::min<Rank>(radix, all.size)), size(all.size / parts), larger(all.size % parts) {}

  [[nodiscard]] Group part(Rank i) const { return {group.first + i * size + std::min(i, larger), size + (i < larger ? 1 : 0)}; }
  [[nodiscard]] Rank part_of(Rank rank) const {
    const Rank i = rank - group.first;
    const Rank in_larger = larger * (size + 1);
    return i < in_larger ? i / (size + 1) : larger + (i - in_larger) / size;
  }

  Group group;
  Rank parts;
  Rank size;
  Rank larger;  ///< So many parts have one more rank.
};

int radix(const Place& place) { return std::clamp(place.radix, 2, most_split); }
int channels(const Place& place) { return std::clamp(place.channels, 1, static_cast<int>(most) / 2 / (radix(place) - 1)); }

}  // namespace

Count crystal_rounds(const Place& place) { return logarithm(place.ranks, radix(place)); }

Round crystal_round(const Place& place, Rank rank, Count k) {
  Group group{0, place.ranks};
  for (Count i = 0; i < k; ++i) {
    const Split split(group, radix(place));
    group = split.part(split.part_of(rank));
  }

  Round round;
  const Split split(group, radix(place));
  const Rank own = split.part_of(rank);
  const Group here = split.part(own);
  const Rank mine = rank - here.first;
  const Ranks ours = Ranks::interval(here.first, here.size, place.ranks);
  const int pieces = channels(place);
  for (Rank i = 1; i < split.parts; ++i) {
    const Group to = split.part((own + i) % split.parts);
    const Group from = split.part((own - i + split.parts) % split.parts);
    for (int piece = 0; piece < pieces; ++piece) {
      const Segment part{piece, pieces};
      round.send(here.receiver(to, rank), Ranks::interval(to.first, to.size, place.ranks), part);
      const Rank sender = here.opposite(from, mine);
      if (sender < from.size) round.receive(from.first + sender, ours, part);
      if (mine == here.size - 1 && here.size < from.size) round.receive(from.first, ours, part);
    }
  }
  return round;
}

Hops crystal_hops(const Place& place, Rank from, Rank to) noexcept {
  Hops hops;
  for (Group group{0, place.ranks}; group.size > 1;) {
    const Split split(group, radix(place));
    const Group there = split.part(split.part_of(to));
    const Group here = split.part(split.part_of(from));
    if (here.first != there.first) {
      const Rank next = here.receiver(there, from);
      ++hops.all;
      hops.far += place.nodes != nullptr && place.nodes->of(from) != place.nodes->of(next) ? 1 : 0;
      from = next;
    }
    group = there;
  }
  return hops;
}

constinit const Algorithm alltoallv_crystal{
    .name = "crystal",
    .description =
        "log2 P rounds (log_radix P), any P: all data for the other half cross in one bundle, then the same within halves",
    .when = "many ranks, several partners each, small volumes; senders need not be known",
    .rounds = crystal_rounds,
    .round = crystal_round,
};

}  // namespace heddle::schedule
