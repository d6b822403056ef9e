// schedule/exchange/consensus.cpp: non-blocking consensus. A protocol, not a schedule: no rank
// knows the receivers.
//
//   synchronous sends to all destinations;  receive all arriving messages until the barrier is complete;
//   my sends have been received: enter a non-blocking barrier;  barrier complete: no message is under way
//
// Cost: (partners)·α + (volume)·β + log2 P·α of the barrier. Only the barrier grows with P.
// Source: Hoefler, Siebert, Lumsdaine, Scalable communication protocols for dynamic sparse data
// exchange, 2010 (NBX).
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm exchange_consensus{
    .name = "consensus",
    .description = "synchronous sends, receives of all arriving messages; a non-blocking barrier tells the end",
    .when = "few partners, many ranks, volumes that should not move twice",
};

}  // namespace heddle::schedule
