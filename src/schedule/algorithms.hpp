// schedule/algorithms.hpp: every algorithm by its own name. Each file defines one. The tables in
// tables.cpp list the algorithms of each collective.
#pragma once

#include "schedule/schedule.hpp"

namespace heddle::schedule {

extern const Algorithm allgatherv_ring, allgatherv_recursive_doubling, allgatherv_dissemination, allgatherv_pipelined_ring,
    allgatherv_two_level;

extern const Algorithm alltoallv_round_robin, alltoallv_direct, alltoallv_crystal, alltoallv_bruck, alltoallv_two_level;

extern const Algorithm exchange_consensus, exchange_crystal, exchange_counts;

}  // namespace heddle::schedule
