// schedule/exchange/counts.cpp: first how much from whom, then direct messages. A protocol, not a schedule.
//
//   all-to-all of counts (P of them);  receives are posted where they belong;  then as alltoallv's direct
//
// Cost: an Alltoall of P counts, then (partners)·α + (volume)·β straight into place. With few ranks the counts cost little, and
// nothing is received unexpectedly.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm exchange_counts{
    .name = "counts",
    .description = "an all-to-all of counts, then direct messages straight to where they belong",
    .when = "few ranks, or many partners with large volumes",
};

}  // namespace heddle::schedule
