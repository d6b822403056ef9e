// mpi/calls/allgather.cpp: MPI_Allgather, MPI_Allgatherv, their non-blocking and persistent forms. In place, a rank's own block
// is its contribution: it goes into the staging buffer first and is not written back.
#include "entry_points.hpp"
#include "mpi/collectives/staged.hpp"
#include "mpi/exchange/gathers.hpp"
#include "mpi/exchange/started.hpp"

namespace heddle::mpi {
namespace {

/// Received: Buffer or VArgument.
template <class How, class Received, class Hand>
Done carry_out_allgather(const How& how, const Buffer& send, const Received& receive, MPI_Comm comm, Hand hand) {
  const Peers peers(comm);
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = in_place && peers.known ? own_rank(comm) : -1;
  if (!peers.known || (in_place && me < 0) || same_elements(send, receive)) return {};
  using Op = Staged<Side, std::conditional_t<std::is_same_v<Received, Buffer>, Side, Blocks>>;
  return carry_out<Op>(
      "allgather", how,
      [&](Op& op) {
        if (in_place) op.contributes = op.but = me;
        return op.prepare(send, 1, !in_place, receive, peers.ranks, true);
      },
      hand);
}

template <class How, class Host>
int allgather(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const Buffer receive{recvbuf, recvcount, recvtype};
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Allgather(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(), op.in.count(),
                                 op.in.type(), comm);
  };
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return carry_out_allgather(how, send, receive, comm, hand).or_call(host);
}

template <class How, class Host>
int allgatherv(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               Numbers recvcounts, Numbers displs, MPI_Datatype recvtype, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const VArgument receive{recvbuf, recvcounts, displs, recvtype};
  Done done;
  TimedCall timed;
  if constexpr (How::blocking)
    done = exchange_gather(send, receive, comm, timed);
  else
    done = exchange_started<blocks::GatherAll>(how, send, receive, comm);
  if (done) return *done;
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    // Open MPI chooses its algorithm by the size of the send type times the receive counts, on each rank for itself: who sends
    // nothing, by an empty type, must not name another basic type than the rest does.
    const MPI_Datatype sent = op.out.count().value == 0 ? op.in.type() : op.out.type();
    return HEDDLE_CALL_Allgatherv(how, op.wide, op.out.address(), op.out.count(), sent, op.in.address(), op.in.counts(),
                                  op.in.displacements(), op.in.type(), comm);
  };
  return carry_out_allgather(how, send, receive, comm, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Allgather(allgather) HEDDLE_COLLECTIVE_Allgatherv(allgatherv)
}
