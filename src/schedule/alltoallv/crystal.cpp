// schedule/alltoallv/crystal.cpp: all that goes to the other half crosses over in one bundle; then the same within each half.
//
//   P = 5                0 1 2 │ 3 4       round 0: each sends all it holds for the other side: 2 ⇄ 3, 1 ⇄ 4, 0 → 4
//                      0 1 │ 2   3 │ 4     round 1: 1 ⇄ 2, 0 → 2, 3 ⇄ 4
//                      0 │ 1               round 2: 0 ⇄ 1
//
// Halves are as equal as can be, so any P takes ceil(log2 P) rounds. A rank sends to its mirror image in the other half; one
// too many sends to the last one there, which so receives two bundles, and itself receives none. So what goes to a near rank
// over the border of two halves is near it in the next round, too; if the i-th sent to the i-th it would cross in all later
// rounds. With radix d a group splits into d parts, and each rank sends d - 1 bundles at a time: ceil(log_d P) rounds. With
// channels c each bundle travels as c messages, over several paths where there are some. Cost: ceil(log2 P)·α, and each byte
// moves at most ceil(log2 P) times: about half of it in each round if destinations are spread evenly. Who sends to whom need
// not be known: a rank gets what it gets. Source: Fox et al. 1988; Schliephake and Laure 2013, algorithm 1 (powers of two;
// there from the lowest bit on, here the far half first: neighbours in rank, who often share a node, talk last).
#include "schedule/alltoallv/crystal.hpp"

#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

struct Group {
  Rank first;
  Rank size;

  /// Which of `other` is the mirror image of the i-th of this group, seen from between the two; may be beyond its end.
  [[nodiscard]] Rank opposite(const Group& other, Rank i) const { return std::max(size, other.size) - 1 - i; }
  /// Who of `other` gets what a rank of this group sends there: its mirror image, or the last one.
  [[nodiscard]] Rank receiver(const Group& other, Rank rank) const {
    return other.first + std::min(opposite(other, rank - first), other.size - 1);
  }
};

/// A group's parts: sizes differ by one at most, larger ones first.
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
  Rank larger;  ///< So many parts have one more.
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
        "log2 P rounds (log_radix P), any P: all that goes to the other half crosses in one bundle, then within halves",
    .when = "many ranks, several partners each, small volumes; who sends need not be known",
    .rounds = crystal_rounds,
    .round = crystal_round,
};

}  // namespace heddle::schedule
