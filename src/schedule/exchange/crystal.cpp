// schedule/exchange/crystal.cpp: the crystal router, which does not need to know the senders.
#include "schedule/alltoallv/crystal.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm exchange_crystal{
    .name = "crystal",
    .description =
        "log2 P rounds (log_radix P): bundles for the other half cross over; each rank picks out its own blocks at the end",
    .when = "many ranks, several partners each, small volumes",
    .rounds = crystal_rounds,
    .round = crystal_round,
};

}  // namespace heddle::schedule
