// schedule/alltoallv/pairs.hpp: messages of all pairs; the pairs of a round have the same distance.
// Within schedule/ only.
#pragma once

#include "schedule/schedule.hpp"

namespace heddle::schedule {

inline Count pair_rounds(const Place& place) { return place.ranks - 1; }

/// Sends to the rank k + 1 ahead, receives from the rank k + 1 behind.
inline Round pair_round(const Place& place, Rank rank, Count k) {
  const Rank to = around(rank + k + 1, place.ranks);
  Round round;
  round.send(to, Ranks::one(to, place.ranks));
  round.receive(around(rank - k - 1, place.ranks), Ranks::one(rank, place.ranks));
  return round;
}

}  // namespace heddle::schedule
