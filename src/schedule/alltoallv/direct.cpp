// schedule/alltoallv/direct.cpp: a message for every pair with data, small messages first.
//
//   round k:   rank r sends to r + k + 1, receives from r - k - 1   (mod P); rounds are independent
//
// The engine leaves out rounds without data, and limits the number of rounds under way. Cost:
// (partners)·α + (volume)·β. Each byte moves once, from layout to layout if both ranks share a
// node. A rank waits only for ranks that send data to it. Source: Balaji et al. 2007, §4.2.2.
#include "schedule/algorithms.hpp"
#include "schedule/alltoallv/pairs.hpp"

namespace heddle::schedule {

constinit const Algorithm alltoallv_direct{
    .name = "direct",
    .description = "a message for each pair with data, small messages before large ones, a limit on messages under way",
    .when = "few partners or large volumes",
    .rounds = pair_rounds,
    .round = pair_round,
    .independent = true,
};

}  // namespace heddle::schedule
