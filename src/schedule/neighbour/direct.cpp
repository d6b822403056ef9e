// schedule/neighbour/direct.cpp: a message to each neighbour that has something coming, small ones first. A protocol, not a
// schedule: who the neighbours are is each rank's own list, which bins.hpp puts in order.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm neighbour_direct{
    .name = "direct",
    .description = "a message to each neighbour: none for zero, small before large",
    .when = "large volumes, irregular graphs",
};

}  // namespace heddle::schedule
