// schedule/alltoallv/round_robin.cpp: a message to everybody, one after the other, empty or not.
//
//   round k:   rank r sends to r + k + 1, receives from r - k - 1   (mod P)
//
// Cost: (P - 1)α + the sum of each round's largest message; and every rank waits for every other one, so that one that is late
// makes all late. Kept as the yardstick: it is what Balaji et al. 2007 (§3.2) and Schliephake and Laure 2013 compare with.
// Today's libraries leave out the empty messages.
#include "schedule/algorithms.hpp"
#include "schedule/alltoallv/pairs.hpp"

namespace heddle::schedule {

constinit const Algorithm alltoallv_round_robin{
    .name = "round-robin",
    .description = "P - 1 rounds, a message to everybody in turn, empty ones too",
    .when = "never: a yardstick, the papers' baseline",
    .rounds = pair_rounds,
    .round = pair_round,
};

}  // namespace heddle::schedule
