// mpi/calls/neighbor_alltoall.cpp: MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallw, their non-blocking
// and persistent forms: pair by pair (exchange.hpp), or through the host, packed.
#include "entry_points.hpp"
#include "mpi/collectives/staged.hpp"
#include "mpi/exchange/started.hpp"

namespace heddle::mpi {
namespace {

/// Given: Buffer, VArgument or WArgument.
template <class How, class Given, class Hand>
Done packed_neighbor_alltoall(const How& how, const Given& send, const Given& receive, MPI_Comm comm, const TimedCall& timed,
                              Hand hand) {
  const mpi::Neighbours peers(comm);
  if (timed.is_librarys() && all_packed_by_host(send, peers.out()) && all_packed_by_host(receive, peers.in())) return {};
  if (!peers.known() || (!any_known(send, peers.out()) && !any_known(receive, peers.in()))) return {};
  using Sides = std::conditional_t<std::is_same_v<Given, Buffer>, Side, Blocks>;
  using Op = Staged<Sides, Sides>;
  return carry_out<Op>(
      "neighbor_alltoall", how,
      [&](Op& op) {
        op.wide_places = std::is_same_v<Given, WArgument>;  // displacements of the w procedure are MPI_Aint in both its forms
        return op.prepare(send, peers.out(), true, receive, peers.in(), true) && receives_from(op, peers);
      },
      hand);
}

template <class How, class Host>
int neighbor_alltoall(const How& how, Host host, const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const Buffer send{sendbuf, sendcount, sendtype};
  const Buffer receive{recvbuf, recvcount, recvtype};
  TimedCall timed;
  if (const Done done = exchange_pairs<blocks::Neighbours>(how, send, receive, comm, timed)) return *done;
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Neighbor_alltoall(how, op.wide, op.out.address(), op.out.count(), op.out.type(), op.in.address(),
                                         op.in.count(), op.in.type(), comm);
  };
  return packed_neighbor_alltoall(how, send, receive, comm, timed, hand).or_call(host);
}

template <class How, class Host>
int neighbor_alltoallv(const How& how, Host host, const void* sendbuf, Numbers sendcounts, Numbers sdispls,
                       MPI_Datatype sendtype, void* recvbuf, Numbers recvcounts, Numbers rdispls, MPI_Datatype recvtype,
                       MPI_Comm comm) {
  const VArgument send{sendbuf, sendcounts, sdispls, sendtype};
  const VArgument receive{recvbuf, recvcounts, rdispls, recvtype};
  TimedCall timed;
  if (const Done done = exchange_pairs<blocks::Neighbours>(how, send, receive, comm, timed)) return *done;
  if (!known(sendtype) && !known(recvtype)) return host();
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Neighbor_alltoallv(how, op.wide, op.out.address(), op.out.counts(), op.out.displacements(),
                                          op.out.type(), op.in.address(), op.in.counts(), op.in.displacements(), op.in.type(),
                                          comm);
  };
  return packed_neighbor_alltoall(how, send, receive, comm, timed, hand).or_call(host);
}

template <class How, class Host>
int neighbor_alltoallw(const How& how, Host host, const void* sendbuf, Numbers sendcounts, Numbers sdispls,
                       const MPI_Datatype* sendtypes, void* recvbuf, Numbers recvcounts, Numbers rdispls,
                       const MPI_Datatype* recvtypes, MPI_Comm comm) {
  const WArgument send{sendbuf, sendcounts, sdispls, sendtypes};
  const WArgument receive{recvbuf, recvcounts, rdispls, recvtypes};
  TimedCall timed;
  if (const Done done = exchange_pairs<blocks::Neighbours>(how, send, receive, comm, timed)) return *done;
  const auto hand = [&](auto& op) {
    return HEDDLE_CALL_Neighbor_alltoallw(how, op.wide, op.out.address(), op.out.counts(), op.out.displacements(),
                                          op.out.types(), op.in.address(), op.in.counts(), op.in.displacements(), op.in.types(),
                                          comm);
  };
  return packed_neighbor_alltoall(how, send, receive, comm, timed, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Neighbor_alltoall(neighbor_alltoall) HEDDLE_COLLECTIVE_Neighbor_alltoallv(neighbor_alltoallv)
    HEDDLE_COLLECTIVE_Neighbor_alltoallw(neighbor_alltoallw)
}
