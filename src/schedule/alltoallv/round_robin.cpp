// schedule/alltoallv/round_robin.cpp: a message to every rank, one after the other, empty or not.
//
//   round k:   rank r sends to r + k + 1, receives from r - k - 1   (mod P)
//
// Cost: (P - 1)α + the sum of each round's largest message. Every rank waits for all others, so a
// late rank makes all ranks late. The algorithm is a yardstick: Balaji et al. 2007 (§3.2) and
// Schliephake and Laure 2013 compare with it. Today's libraries leave out the empty messages.
#include "schedule/algorithms.hpp"
#include "schedule/alltoallv/pairs.hpp"

namespace heddle::schedule {

constinit const Algorithm alltoallv_round_robin{
    .name = "round-robin",
    .description = "P - 1 rounds, a message to every rank in turn, even if it is empty",
    .when = "never: a yardstick, the papers' baseline",
    .rounds = pair_rounds,
    .round = pair_round,
};

}  // namespace heddle::schedule
