// mpi/calls/scatter.cpp: MPI_Scatter, MPI_Scatterv, their non-blocking and persistent forms. Only the root's send arguments may
// be read.
#include "entry_points.hpp"
#include "mpi/collectives/staged.hpp"

namespace heddle::mpi {
namespace {

/// All blocks at the root, one of them to each rank. Sent: Buffer or VArgument.
template <class How, class Sent, class Hand>
Done carry_out_scatter(const How& how, const Sent& send, const Buffer& receive, int root, MPI_Comm comm, Hand hand) {
  constexpr bool alike = std::is_same_v<Sent, Buffer>;
  const Rooted place(root, comm);
  if (!place.known || (place.root && place.leaf && same_elements(send, receive))) return {};
  using Op = Staged<std::conditional_t<alike, Side, Blocks>, Side>;
  return carry_out<Op>(
      "scatter", how,
      [&](Op& op) {
        const bool in_place = place.root && receive.address == MPI_IN_PLACE;
        if (!op.prepare(send, place.ranks, place.root, receive, 1, place.leaf && !in_place)) return false;
        if (in_place)
          op.sends_but = place.me;
        else if constexpr (How::blocking && alike)
          if (place.root && place.leaf) op.move_own(place.me, 0);
        return true;
      },
      hand);
}

template <class How, class Host>
int scatter(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const Buffer receive{recvbuf, recvcount, recvtype};
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Scatter(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(), op.in.count(),
                               op.in.type(), root, comm);
  };
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return carry_out_scatter(how, send, receive, root, comm, hand).or_call(host);
}

template <class How, class Host>
int scatterv(const How& how, Host host, const void* sendbuf, Numbers sendcounts, Numbers displs, MPI_Datatype sendtype,
             void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Scatterv(how, op.wide, op.out.address(), op.out.counts(), op.out.displacements(), op.out.type(),
                                op.in.address(), op.in.count(), op.in.type(), root, comm);
  };
  return carry_out_scatter(how, VArgument{sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root, comm,
                           hand)
      .or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Scatter(scatter) HEDDLE_COLLECTIVE_Scatterv(scatterv)
}
