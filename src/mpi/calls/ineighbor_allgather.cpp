// mpi/calls/ineighbor_allgather.cpp: MPI_Ineighbor_allgather, MPI_Ineighbor_allgatherv and their persistent forms.
#include "mpi/exchange/gathers.hpp"
#include "mpi/exchange/started.hpp"
#include "mpi/requests/collective.hpp"

namespace heddle::mpi {
namespace {

/// Blocks that nobody fills are looked up now: the communicator may be freed before the end.
template <class Op>
void receives_from(Op& op, Neighbours peers) {
  if (peers.in() > 0) static_cast<void>(peers.absent(0));
  op.blocks = peers.in();
  op.from = peers;
}

template <class How>
Done neighbor_allgather(const Buffer& send, const Buffer& receive, MPI_Comm comm, const How& how) {
  const Neighbours peers(comm);
  if (!peers.known()) return {};
  using Op = Staged<OneSide, OneSide>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        op.out.emplace(send, 1);
        op.in.emplace(receive, peers.in());
        if ((!op.out->ours() && !op.in->ours()) || !op.out->prepare() || !op.in->prepare()) return false;
        op.wide = op.out->wide() || op.in->wide();
        receives_from(op, peers);
        return true;
      },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ineighbor_allgather, Neighbor_allgather_init, op.out->address(), op.out->count(),
                               op.out->type(), op.in->address(), op.in->count(), op.in->type(), comm);
      });
}

template <class How>
Done neighbor_allgather(const Buffer& send, const Spread& receive, MPI_Comm comm, const How& how) {
  const Neighbours peers(comm);
  if (!peers.known()) return {};
  using Op = Staged<OneSide, Blocks>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        op.out.emplace(send, 1);
        if (!op.out->prepare() || !op.in.prepare(receive, peers.in())) return false;
        if (!op.out->ours() && !op.in.ours()) return false;
        op.wide = op.out->wide() || op.in.wide();
        op.in.narrow_unless(op.wide);
        receives_from(op, peers);
        return true;
      },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ineighbor_allgatherv, Neighbor_allgatherv_init, op.out->address(), op.out->count(),
                               op.out->type(), op.in.address(), op.in.counts(), op.in.displacements(), op.in.type(), comm);
      });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_NEIGHBOR_ALLGATHER(name, Integer, How)                                                                       \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,           \
                 MPI_Datatype recvtype, MPI_Comm comm, HEDDLE_ENDS(How)) {                                                  \
    const Buffer send{sendbuf, sendcount, sendtype}, receive{recvbuf, recvcount, recvtype};                                 \
    const auto how = HEDDLE_HOW(How);                                                                                       \
    if (const Done done = exchange_started<blocks::GatherNeighbours>("MPI_" #name, send, receive, comm, how)) return *done; \
    if (known(sendtype) || known(recvtype))                                                                                 \
      if (const Done done = neighbor_allgather(send, receive, comm, how)) return *done;                                     \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, HEDDLE_END(How));                  \
  }

#define HEDDLE_NEIGHBOR_ALLGATHERV(name, Integer, Displacement, How)                                                        \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, const Integer recvcounts[],  \
                 const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm, HEDDLE_ENDS(How)) {                    \
    const Buffer send{sendbuf, sendcount, sendtype};                                                                        \
    const Spread receive{recvbuf, recvcounts, rdispls, recvtype};                                                           \
    const auto how = HEDDLE_HOW(How);                                                                                       \
    if (const Done done = exchange_started<blocks::GatherNeighbours>("MPI_" #name, send, receive, comm, how)) return *done; \
    if (known(sendtype) || known(recvtype))                                                                                 \
      if (const Done done = neighbor_allgather(send, receive, comm, how)) return *done;                                     \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, HEDDLE_END(How));        \
  }

extern "C" {
HEDDLE_NEIGHBOR_ALLGATHER(Ineighbor_allgather, int, Started)
HEDDLE_NEIGHBOR_ALLGATHERV(Ineighbor_allgatherv, int, int, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_NEIGHBOR_ALLGATHER(Neighbor_allgather_init, int, Kept)
HEDDLE_NEIGHBOR_ALLGATHERV(Neighbor_allgatherv_init, int, int, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_NEIGHBOR_ALLGATHER(Ineighbor_allgather_c, MPI_Count, Started)
HEDDLE_NEIGHBOR_ALLGATHER(Neighbor_allgather_init_c, MPI_Count, Kept)
HEDDLE_NEIGHBOR_ALLGATHERV(Ineighbor_allgatherv_c, MPI_Count, MPI_Aint, Started)
HEDDLE_NEIGHBOR_ALLGATHERV(Neighbor_allgatherv_init_c, MPI_Count, MPI_Aint, Kept)
#endif
}
