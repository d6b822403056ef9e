// schedule/exchange/counts.cpp: first the counts, then direct messages. A protocol, not a schedule.
//
//   all-to-all of P counts;  receives are posted straight into their place;  then as alltoallv's direct
//
// Cost: an Alltoall of P counts, then (partners)·α + (volume)·β straight into place. The counts of
// few ranks cost little, and no message is unexpected.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm exchange_counts{
    .name = "counts",
    .description = "an all-to-all of counts, then direct messages straight into their place",
    .when = "few ranks, or many partners with large volumes",
};

}  // namespace heddle::schedule
