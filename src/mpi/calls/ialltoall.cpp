// mpi/calls/ialltoall.cpp: MPI_Ialltoall, its v and w forms and their persistent ones, as MPI_Alltoall.
#include "mpi/exchange/in_place.hpp"
#include "mpi/exchange/started.hpp"
#include "mpi/requests/collective.hpp"
#include "mpi/start.hpp"

namespace heddle::mpi {
namespace {

/// The v and w procedures: Given is Spread or Mosaic.
template <class Given>
bool blockwise(Staged<Blocks, Blocks>& op, const Given& send, const Given& receive, MPI_Comm comm) {
  const Peers peers(comm);
  if (!peers.known) return false;
  const bool in_place = send.address == MPI_IN_PLACE;  // then the send types mean nothing
  // Open MPI 5.0.11's overwrite what they have yet to send where a block is empty, of packed bytes where not of the program's.
  if (in_place && host() == Host::openmpi) return false;
  if (!any_known(receive, peers.ranks) && (in_place || !any_known(send, peers.ranks))) return false;
  if (same_elements(send, receive)) return false;
  if (!op.out.prepare(send, peers.ranks, !in_place) || !op.in.prepare(receive, peers.ranks)) return false;
  if (!op.out.ours() && !op.in.ours()) return false;
  op.wide = op.out.wide() || op.in.wide();
  op.out.narrow_unless(op.wide);
  op.in.narrow_unless(op.wide);
  op.sends = !in_place;
  op.contributes = in_place ? Staged<Blocks, Blocks>::all : Staged<Blocks, Blocks>::none;
  return true;
}

template <class How>
Done alltoall(const Buffer& send, const Buffer& receive, MPI_Comm comm, const How& how) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return HEDDLE_HAND_HOW(how, false, Ialltoall, Alltoall_init, out.address(), out.count(), out.type(), in.address(),
                           in.count(), in.type(), comm);
  const Peers peers(comm);
  if (!peers.known || same_elements(send, receive)) return {};
  using Op = Staged<OneSide, OneSide>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        const bool in_place = send.address == MPI_IN_PLACE;
        op.out.emplace(send, peers.ranks, !in_place);
        op.in.emplace(receive, peers.ranks);
        if ((!op.out->ours() && !op.in->ours()) || !op.out->prepare() || !op.in->prepare()) return false;
        op.wide = op.out->wide() || op.in->wide();
        op.contributes = in_place ? Op::all : Op::none;
        return true;
      },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ialltoall, Alltoall_init, op.out->address(), op.out->count(), op.out->type(),
                               op.in->address(), op.in->count(), op.in->type(), comm);
      });
}

template <class How>
Done alltoall(const Spread& send, const Spread& receive, MPI_Comm comm, const How& how) {
  using Op = Staged<Blocks, Blocks>;
  return carry_out<Op>(
      how, [&](Op& op) { return blockwise(op, send, receive, comm); },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ialltoallv, Alltoallv_init, op.out.address(), op.out.counts(),
                               op.out.displacements(), op.out.type(), op.in.address(), op.in.counts(), op.in.displacements(),
                               op.in.type(), comm);
      });
}

template <class How>
Done alltoall(const Mosaic& send, const Mosaic& receive, MPI_Comm comm, const How& how) {
  using Op = Staged<Blocks, Blocks>;
  return carry_out<Op>(
      how, [&](Op& op) { return blockwise(op, send, receive, comm); },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ialltoallw, Alltoallw_init, op.out.address(), op.out.counts(),
                               op.out.displacements(), op.out.types(), op.in.address(), op.in.counts(), op.in.displacements(),
                               op.in.types(), comm);
      });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

namespace {

template <class Given, class How>
Done started(const char* call, const Given& send, const Given& receive, MPI_Comm comm, const How& how) {
  return send.address == MPI_IN_PLACE ? exchange_started<blocks::InPlace>(call, receive, receive, comm, how)
                                      : exchange_started<blocks::All>(call, send, receive, comm, how);
}

}  // namespace

#define HEDDLE_ALLTOALL(name, Integer, How)                                                                       \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount, \
                 MPI_Datatype recvtype, MPI_Comm comm, HEDDLE_ENDS(How)) {                                        \
    const Buffer send{sendbuf, sendcount, sendtype};                                                              \
    const Buffer receive{recvbuf, recvcount, recvtype};                                                           \
    const auto how = HEDDLE_HOW(How);                                                                             \
    if (const Done done = started("MPI_" #name, send, receive, comm, how)) return *done;                          \
    if (known(sendtype) || known(recvtype))                                                                       \
      if (const Done done = alltoall(send, receive, comm, how)) return *done;                                     \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, HEDDLE_END(How));        \
  }

#define HEDDLE_ALLTOALLV(name, Integer, Displacement, How)                                                                     \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype,         \
                 void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype,               \
                 MPI_Comm comm, HEDDLE_ENDS(How)) {                                                                            \
    const Spread send{sendbuf, sendcounts, sdispls, sendtype};                                                                 \
    const Spread receive{recvbuf, recvcounts, rdispls, recvtype};                                                              \
    const auto how = HEDDLE_HOW(How);                                                                                          \
    if (const Done done = started("MPI_" #name, send, receive, comm, how)) return *done;                                       \
    if (known(sendtype) || known(recvtype))                                                                                    \
      if (const Done done = alltoall(send, receive, comm, how)) return *done;                                                  \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, HEDDLE_END(How)); \
  }

#define HEDDLE_ALLTOALLW(name, Integer, Displacement, How)                                                                \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[],                           \
                 const MPI_Datatype sendtypes[], void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], \
                 const MPI_Datatype recvtypes[], MPI_Comm comm, HEDDLE_ENDS(How)) {                                       \
    const Mosaic send{sendbuf, sendcounts, sdispls, sendtypes};                                                           \
    const Mosaic receive{recvbuf, recvcounts, rdispls, recvtypes};                                                        \
    const auto how = HEDDLE_HOW(How);                                                                                     \
    if (const Done done = started("MPI_" #name, send, receive, comm, how)) return *done;                                  \
    if (const Done done = alltoall(send, receive, comm, how)) return *done;                                               \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,            \
                       HEDDLE_END(How));                                                                                  \
  }

extern "C" {
HEDDLE_ALLTOALL(Ialltoall, int, Started)
HEDDLE_ALLTOALLV(Ialltoallv, int, int, Started)
HEDDLE_ALLTOALLW(Ialltoallw, int, int, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_ALLTOALL(Alltoall_init, int, Kept)
HEDDLE_ALLTOALLV(Alltoallv_init, int, int, Kept)
HEDDLE_ALLTOALLW(Alltoallw_init, int, int, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_ALLTOALL(Ialltoall_c, MPI_Count, Started)
HEDDLE_ALLTOALL(Alltoall_init_c, MPI_Count, Kept)
HEDDLE_ALLTOALLV(Ialltoallv_c, MPI_Count, MPI_Aint, Started)
HEDDLE_ALLTOALLV(Alltoallv_init_c, MPI_Count, MPI_Aint, Kept)
HEDDLE_ALLTOALLW(Ialltoallw_c, MPI_Count, MPI_Aint, Started)
HEDDLE_ALLTOALLW(Alltoallw_init_c, MPI_Count, MPI_Aint, Kept)
#endif
}
