// schedule/exchange/consensus.cpp: non-blocking consensus. A protocol, not a schedule: who receives is not known to anybody.
//
//   synchronous sends to all destinations;  until the barrier is through: take in whatever comes;
//   my sends have been received: enter a non-blocking barrier;  it is through: nobody has anything under way
//
// Cost: (partners)·α + (volume)·β + log2 P·α of the barrier; nothing grows with P but the barrier.
// Source: Hoefler, Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data exchange, 2010 (NBX).
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm exchange_consensus{
    .name = "consensus",
    .description = "synchronous sends, receive whatever comes, a non-blocking barrier says when all is in",
    .when = "few partners, many ranks, volumes that are not worth moving twice",
};

}  // namespace heddle::schedule
