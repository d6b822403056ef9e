// mpi/calls/gather.cpp: MPI_Gather, MPI_Gatherv, their non-blocking and persistent forms. Only the root's receive arguments may
// be read.
#include "entry_points.hpp"
#include "mpi/collectives/staged.hpp"

namespace heddle::mpi {
namespace {

/// One block at each rank, all of them at the root. Received: Buffer or VArgument.
template <class How, class Received, class Hand>
Done carry_out_gather(const How& how, const Buffer& send, const Received& receive, int root, MPI_Comm comm, Hand hand) {
  constexpr bool alike = std::is_same_v<Received, Buffer>;
  const Rooted place(root, comm);
  if (!place.known || (place.root && place.leaf && same_elements(send, receive))) return {};
  using Op = Staged<Side, std::conditional_t<alike, Side, Blocks>>;
  return carry_out<Op>(
      "gather", how,
      [&](Op& op) {
        const bool in_place = place.root && send.address == MPI_IN_PLACE;
        if (!op.prepare(send, 1, place.leaf && !in_place, receive, place.ranks, place.root)) return false;
        op.stores = place.root ? Op::all : Op::none;
        if (in_place)
          op.but = place.me;
        else if constexpr (How::blocking && alike)
          if (place.root && place.leaf) op.move_own(0, place.me);
        return true;
      },
      hand);
}

template <class How, class Host>
int gather(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
           Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const Buffer receive{recvbuf, recvcount, recvtype};
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Gather(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(), op.in.count(),
                              op.in.type(), root, comm);
  };
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return carry_out_gather(how, send, receive, root, comm, hand).or_call(host);
}

template <class How, class Host>
int gatherv(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            Numbers recvcounts, Numbers displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Gatherv(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(), op.in.counts(),
                               op.in.displacements(), op.in.type(), root, comm);
  };
  return carry_out_gather(how, {sendbuf, sendcount, sendtype}, VArgument{recvbuf, recvcounts, displs, recvtype}, root, comm,
                          hand)
      .or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Gather(gather) HEDDLE_COLLECTIVE_Gatherv(gatherv)
}
