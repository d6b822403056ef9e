// mpi/calls/ineighbor_alltoall.cpp: MPI_Ineighbor_alltoall, its v and w forms and their persistent ones.
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

/// The v and w procedures: Given is Spread or Mosaic.
template <class Given>
bool blockwise(Staged<Blocks, Blocks>& op, const Given& send, const Given& receive, MPI_Comm comm) {
  const Neighbours peers(comm);
  if (!peers.known() || (!any_known(send, peers.out()) && !any_known(receive, peers.in()))) return false;
  if (!op.out.prepare(send, peers.out()) || !op.in.prepare(receive, peers.in())) return false;
  if (!op.out.ours() && !op.in.ours()) return false;
  constexpr bool v = std::is_same_v<Given, Spread>;  // displacements of the w procedure are MPI_Aint in both its forms
  op.wide = v ? op.out.wide() || op.in.wide() : op.out.wide_counts() || op.in.wide_counts();
  for (Blocks* side : {&op.out, &op.in}) v ? side->narrow_unless(op.wide) : side->narrow_counts_unless(op.wide);
  receives_from(op, peers);
  return true;
}

template <class How>
Done neighbor_alltoall(const Buffer& send, const Buffer& receive, MPI_Comm comm, const How& how) {
  const Neighbours peers(comm);
  if (!peers.known()) return {};
  using Op = Staged<OneSide, OneSide>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        op.out.emplace(send, peers.out());
        op.in.emplace(receive, peers.in());
        if ((!op.out->ours() && !op.in->ours()) || !op.out->prepare() || !op.in->prepare()) return false;
        op.wide = op.out->wide() || op.in->wide();
        receives_from(op, peers);
        return true;
      },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ineighbor_alltoall, Neighbor_alltoall_init, op.out->address(), op.out->count(),
                               op.out->type(), op.in->address(), op.in->count(), op.in->type(), comm);
      });
}

template <class How>
Done neighbor_alltoall(const Spread& send, const Spread& receive, MPI_Comm comm, const How& how) {
  using Op = Staged<Blocks, Blocks>;
  return carry_out<Op>(
      how, [&](Op& op) { return blockwise(op, send, receive, comm); },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ineighbor_alltoallv, Neighbor_alltoallv_init, op.out.address(), op.out.counts(),
                               op.out.displacements(), op.out.type(), op.in.address(), op.in.counts(), op.in.displacements(),
                               op.in.type(), comm);
      });
}

template <class How>
Done neighbor_alltoall(const Mosaic& send, const Mosaic& receive, MPI_Comm comm, const How& how) {
  using Op = Staged<Blocks, Blocks>;
  return carry_out<Op>(
      how, [&](Op& op) { return blockwise(op, send, receive, comm); },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ineighbor_alltoallw, Neighbor_alltoallw_init, op.out.address(), op.out.counts(),
                               op.out.displacements(), op.out.types(), op.in.address(), op.in.counts(), op.in.displacements(),
                               op.in.types(), comm);
      });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_NEIGHBOR_ALLTOALL(name, Integer, How)                                                                  \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,     \
                 MPI_Datatype recvtype, MPI_Comm comm, HEDDLE_ENDS(How)) {                                            \
    const Buffer send{sendbuf, sendcount, sendtype};                                                                  \
    const Buffer receive{recvbuf, recvcount, recvtype};                                                               \
    const auto how = HEDDLE_HOW(How);                                                                                 \
    if (const Done done = exchange_started<blocks::Neighbours>("MPI_" #name, send, receive, comm, how)) return *done; \
    if (known(sendtype) || known(recvtype))                                                                           \
      if (const Done done = neighbor_alltoall(send, receive, comm, how)) return *done;                                \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, HEDDLE_END(How));            \
  }

#define HEDDLE_NEIGHBOR_ALLTOALLV(name, Integer, Displacement, How)                                                            \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype,         \
                 void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype,               \
                 MPI_Comm comm, HEDDLE_ENDS(How)) {                                                                            \
    const Spread send{sendbuf, sendcounts, sdispls, sendtype};                                                                 \
    const Spread receive{recvbuf, recvcounts, rdispls, recvtype};                                                              \
    const auto how = HEDDLE_HOW(How);                                                                                          \
    if (const Done done = exchange_started<blocks::Neighbours>("MPI_" #name, send, receive, comm, how)) return *done;          \
    if (known(sendtype) || known(recvtype))                                                                                    \
      if (const Done done = neighbor_alltoall(send, receive, comm, how)) return *done;                                         \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, HEDDLE_END(How)); \
  }

#define HEDDLE_NEIGHBOR_ALLTOALLW(name, Integer, Displacement, How)                                                       \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[],                           \
                 const MPI_Datatype sendtypes[], void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], \
                 const MPI_Datatype recvtypes[], MPI_Comm comm, HEDDLE_ENDS(How)) {                                       \
    const Mosaic send{sendbuf, sendcounts, sdispls, sendtypes};                                                           \
    const Mosaic receive{recvbuf, recvcounts, rdispls, recvtypes};                                                        \
    const auto how = HEDDLE_HOW(How);                                                                                     \
    if (const Done done = exchange_started<blocks::Neighbours>("MPI_" #name, send, receive, comm, how)) return *done;     \
    if (const Done done = neighbor_alltoall(send, receive, comm, how)) return *done;                                      \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,            \
                       HEDDLE_END(How));                                                                                  \
  }

extern "C" {
HEDDLE_NEIGHBOR_ALLTOALL(Ineighbor_alltoall, int, Started)
HEDDLE_NEIGHBOR_ALLTOALLV(Ineighbor_alltoallv, int, int, Started)
HEDDLE_NEIGHBOR_ALLTOALLW(Ineighbor_alltoallw, int, MPI_Aint, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_NEIGHBOR_ALLTOALL(Neighbor_alltoall_init, int, Kept)
HEDDLE_NEIGHBOR_ALLTOALLV(Neighbor_alltoallv_init, int, int, Kept)
HEDDLE_NEIGHBOR_ALLTOALLW(Neighbor_alltoallw_init, int, MPI_Aint, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_NEIGHBOR_ALLTOALL(Ineighbor_alltoall_c, MPI_Count, Started)
HEDDLE_NEIGHBOR_ALLTOALL(Neighbor_alltoall_init_c, MPI_Count, Kept)
HEDDLE_NEIGHBOR_ALLTOALLV(Ineighbor_alltoallv_c, MPI_Count, MPI_Aint, Started)
HEDDLE_NEIGHBOR_ALLTOALLV(Neighbor_alltoallv_init_c, MPI_Count, MPI_Aint, Kept)
HEDDLE_NEIGHBOR_ALLTOALLW(Ineighbor_alltoallw_c, MPI_Count, MPI_Aint, Started)
HEDDLE_NEIGHBOR_ALLTOALLW(Neighbor_alltoallw_init_c, MPI_Count, MPI_Aint, Kept)
#endif
}
