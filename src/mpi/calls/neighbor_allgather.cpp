// mpi/calls/neighbor_allgather.cpp: MPI_Neighbor_allgather, MPI_Neighbor_allgatherv, their non-blocking and persistent forms:
// pair by pair (exchange/gathers.hpp), or through the host, packed.
#include "entry_points.hpp"
#include "mpi/collectives/staged.hpp"
#include "mpi/exchange/gathers.hpp"
#include "mpi/exchange/started.hpp"

namespace heddle::mpi {
namespace {

/// Received: Buffer or VArgument.
template <class How, class Received, class Hand>
Done packed_neighbor_allgather(const How& how, const Buffer& send, const Received& receive, MPI_Comm comm,
                               const TimedCall& timed, Hand hand) {
  const mpi::Neighbours peers(comm);
  if (!peers.known()) return {};
  if (timed.is_librarys() && all_packed_by_host(send, 1) && all_packed_by_host(receive, peers.in())) return {};
  using Op = Staged<Side, std::conditional_t<std::is_same_v<Received, Buffer>, Side, Blocks>>;
  return carry_out<Op>(
      "neighbor_allgather", how,
      [&](Op& op) { return op.prepare(send, 1, true, receive, peers.in(), true) && receives_from(op, peers); }, hand);
}

template <class How, class Host>
int neighbor_allgather(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const Buffer receive{recvbuf, recvcount, recvtype};
  TimedCall timed;
  if (const Done done = exchange_pairs<blocks::GatherNeighbours>(how, send, receive, comm, timed)) return *done;
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Neighbor_allgather(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(),
                                          op.in.count(), op.in.type(), comm);
  };
  return packed_neighbor_allgather(how, send, receive, comm, timed, hand).or_call(host);
}

template <class How, class Host>
int neighbor_allgatherv(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        Numbers recvcounts, Numbers displs, MPI_Datatype recvtype, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const VArgument receive{recvbuf, recvcounts, displs, recvtype};
  TimedCall timed;
  if (const Done done = exchange_pairs<blocks::GatherNeighbours>(how, send, receive, comm, timed)) return *done;
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Neighbor_allgatherv(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(),
                                           op.in.counts(), op.in.displacements(), op.in.type(), comm);
  };
  return packed_neighbor_allgather(how, send, receive, comm, timed, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Neighbor_allgather(neighbor_allgather) HEDDLE_COLLECTIVE_Neighbor_allgatherv(neighbor_allgatherv)
}
