// mpi/calls/alltoall.cpp: MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw: pair by pair (exchange.hpp), or through the host, packed.
// In place, all blocks of the receive buffer are packed, exchanged by the host in the stand-in, and put back.
#include "mpi/exchange/in_place.hpp"
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {
namespace {

/// The v and w procedures: Given is Spread or Mosaic, `hand` calls the host's with both stand-ins.
template <class Given, class Hand>
Done blockwise(const Given& send, const Given& receive, MPI_Comm comm, Hand hand) {
  const Peers peers(comm);
  if (!peers.known) return {};
  const bool in_place = send.address == MPI_IN_PLACE;  // then the send types mean nothing
  if (!any_known(receive, peers.ranks) && (in_place || !any_known(send, peers.ranks))) return {};
  if (same_elements(send, receive)) return {};
  Blocks out;
  Blocks in;
  if (!out.prepare(send, peers.ranks, !in_place) || !in.prepare(receive, peers.ranks)) return {};
  if (!out.ours() && !in.ours()) return {};
  if (!in_place && !peers.inter) move_own_block(out, in, own_rank(comm));
  if (in_place)
    in.load();
  else
    out.load();
  const bool wide = out.wide() || in.wide();
  out.narrow_unless(wide);
  in.narrow_unless(wide);
  const Done done = hand(wide, out, in);
  if (done == MPI_SUCCESS) in.store();
  return done;
}

}  // namespace

Done alltoall(const Buffer& send, const Buffer& receive, MPI_Comm comm) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return PMPI_Alltoall(out.address(), out.count(), out.type(), in.address(), in.count(), in.type(), comm);
  const Peers peers(comm);
  if (!peers.known) return {};
  const bool in_place = send.address == MPI_IN_PLACE;
  Side out(send, peers.ranks, !in_place);
  Side in(receive, peers.ranks);
  if (!out.ours() && !in.ours()) return {};
  if (same_elements(send, receive)) return {};
  if (!out.prepare() || !in.prepare()) return {};
  const int me = !in_place && !peers.inter ? own_rank(comm) : -1;
  const bool moved = me >= 0 && move_own_block(out, me, in, me);
  if (in_place)
    in.load();
  else if (moved)
    out.load_but(me);
  else
    out.load();
  const Done done = HEDDLE_HAND(out.wide() || in.wide(), Alltoall, out.address(), out.count(), out.type(), in.address(),
                                in.count(), in.type(), comm);
  if (done != MPI_SUCCESS) return done;
  if (moved)
    in.store_but(me);
  else
    in.store();
  return done;
}

Done alltoall(const Spread& send, const Spread& receive, MPI_Comm comm) {
  return blockwise(send, receive, comm, [comm](bool wide, const Blocks& out, const Blocks& in) -> Done {
    return HEDDLE_HAND(wide, Alltoallv, out.address(), out.counts(), out.displacements(), out.type(), in.address(), in.counts(),
                       in.displacements(), in.type(), comm);
  });
}

Done alltoall(const Mosaic& send, const Mosaic& receive, MPI_Comm comm) {
  return blockwise(send, receive, comm, [comm](bool wide, const Blocks& out, const Blocks& in) -> Done {
    return HEDDLE_HAND(wide, Alltoallw, out.address(), out.counts(), out.displacements(), out.types(), in.address(),
                       in.counts(), in.displacements(), in.types(), comm);
  });
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

namespace {

template <class Given>
Done exchange(const char* call, const Given& send, const Given& receive, MPI_Comm comm) {
  return send.address == MPI_IN_PLACE ? exchange_in_place(call, receive, comm) : exchange_all(call, send, receive, comm);
}

}  // namespace

#define HEDDLE_ALLTOALL(name, Integer)                                                                            \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount, \
                 MPI_Datatype recvtype, MPI_Comm comm) {                                                          \
    const Buffer send{sendbuf, sendcount, sendtype};                                                              \
    const Buffer receive{recvbuf, recvcount, recvtype};                                                           \
    if (const Done done = exchange("MPI_" #name, send, receive, comm)) return *done;                              \
    if (known(sendtype) || known(recvtype))                                                                       \
      if (const Done done = face::alltoall(send, receive, comm)) return *done;                                    \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);                         \
  }

#define HEDDLE_ALLTOALLV(name, Integer, Displacement)                                                                  \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype, \
                 void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype,       \
                 MPI_Comm comm) {                                                                                      \
    const Spread send{sendbuf, sendcounts, sdispls, sendtype};                                                         \
    const Spread receive{recvbuf, recvcounts, rdispls, recvtype};                                                      \
    if (const Done done = exchange("MPI_" #name, send, receive, comm)) return *done;                                   \
    if (known(sendtype) || known(recvtype))                                                                            \
      if (const Done done = face::alltoall(send, receive, comm)) return *done;                                         \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);          \
  }

#define HEDDLE_ALLTOALLW(name, Integer, Displacement)                                                                     \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[],                           \
                 const MPI_Datatype sendtypes[], void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], \
                 const MPI_Datatype recvtypes[], MPI_Comm comm) {                                                         \
    const Mosaic send{sendbuf, sendcounts, sdispls, sendtypes};                                                           \
    const Mosaic receive{recvbuf, recvcounts, rdispls, recvtypes};                                                        \
    if (const Done done = exchange("MPI_" #name, send, receive, comm)) return *done;                                      \
    if (const Done done = face::alltoall(send, receive, comm)) return *done;                                              \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);           \
  }

extern "C" {
HEDDLE_ALLTOALL(Alltoall, int)
HEDDLE_ALLTOALLV(Alltoallv, int, int)
HEDDLE_ALLTOALLW(Alltoallw, int, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_ALLTOALL(Alltoall_c, MPI_Count)
HEDDLE_ALLTOALLV(Alltoallv_c, MPI_Count, MPI_Aint)
HEDDLE_ALLTOALLW(Alltoallw_c, MPI_Count, MPI_Aint)
#endif
}
