// schedule/alltoallv/direct.cpp: a message for every pair that has something to say, small ones first.
//
//   round k:   rank r sends to r + k + 1, receives from r - k - 1   (mod P); rounds are independent
//
// Which rounds there are is for who runs it to say from the volumes: none for zero. How many are under way at a time is the
// throttle of who runs it. Cost: (partners)·α + (volume)·β; each byte moves once, from layout to layout where both ranks are on
// a node. A rank waits only for ranks that send it something. Source: Balaji et al. 2007, §4.2.2.
#include "schedule/algorithms.hpp"
#include "schedule/alltoallv/pairs.hpp"

namespace heddle::schedule {

constinit const Algorithm alltoallv_direct{
    .name = "direct",
    .description = "a message for each pair that has data: none for zero, small before large, a throttle",
    .when = "few partners or large volumes",
    .rounds = pair_rounds,
    .round = pair_round,
    .independent = true,
};

}  // namespace heddle::schedule
