// mpi/calls/allgather.cpp: MPI_Allgather and MPI_Allgatherv. In place, a rank's own block is its contribution: it goes into
// the stand-in first and is not written back.
#include "mpi/exchange/gather.hpp"
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {

Done allgather(const Buffer& send, const Buffer& receive, MPI_Comm comm) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return PMPI_Allgather(out.address(), out.count(), out.type(), in.address(), in.count(), in.type(), comm);
  const Peers peers(comm);
  if (!peers.known) return {};
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = in_place ? own_rank(comm) : -1;
  if (in_place && me < 0) return {};
  Side out(send, 1, !in_place);
  Side in(receive, peers.ranks);
  if (!out.ours() && !in.ours()) return {};
  if (same_elements(send, receive)) return {};
  if (!out.prepare() || !in.prepare()) return {};
  out.load();
  if (in_place) in.load(me, 1);
  const Done done = HEDDLE_HAND(out.wide() || in.wide(), Allgather, out.address(), out.count(), out.type(), in.address(),
                                in.count(), in.type(), comm);
  if (done != MPI_SUCCESS) return done;
  if (in_place)
    in.store_but(me);
  else
    in.store();
  return done;
}

Done allgather(const Buffer& send, const Spread& receive, MPI_Comm comm) {
  const Peers peers(comm);
  if (!peers.known) return {};
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = in_place ? own_rank(comm) : -1;
  if (in_place && me < 0) return {};
  Side out(send, 1, !in_place);
  Blocks in;
  if (!out.prepare() || !in.prepare(receive, peers.ranks)) return {};
  if (!out.ours() && !in.ours()) return {};
  if (same_elements(send, receive)) return {};
  out.load();
  if (in_place) in.load(me);
  const bool wide = out.wide() || in.wide();
  in.narrow_unless(wide);
  // Open MPI chooses its algorithm by the size of the send type times the receive counts, on each rank for itself: who sends
  // nothing, by an empty type, must not name another basic type than the rest does.
  const MPI_Datatype sent = out.count().value == 0 ? in.type() : out.type();
  const Done done = HEDDLE_HAND(wide, Allgatherv, out.address(), out.count(), sent, in.address(), in.counts(),
                                in.displacements(), in.type(), comm);
  if (done != MPI_SUCCESS) return done;
  for (int i = 0; i < peers.ranks; ++i)
    if (!in_place || i != me) in.store(i);
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_ALLGATHER(name, Integer)                                                                                  \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,        \
                 MPI_Datatype recvtype, MPI_Comm comm) {                                                                 \
    if (known(sendtype) || known(recvtype))                                                                              \
      if (const Done done = face::allgather({sendbuf, sendcount, sendtype}, Buffer{recvbuf, recvcount, recvtype}, comm)) \
        return *done;                                                                                                    \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);                                \
  }

#define HEDDLE_ALLGATHERV(name, Integer, Displacement)                                                                     \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, const Integer recvcounts[], \
                 const Displacement displs[], MPI_Datatype recvtype, MPI_Comm comm) {                                      \
    const Buffer send{sendbuf, sendcount, sendtype};                                                                       \
    const Spread receive{recvbuf, recvcounts, displs, recvtype};                                                           \
    if (const Done done = exchange_gather(send, receive, comm)) return *done;                                              \
    if (known(sendtype) || known(recvtype))                                                                                \
      if (const Done done = face::allgather(send, receive, comm)) return *done;                                            \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);                         \
  }

extern "C" {
HEDDLE_ALLGATHER(Allgather, int)
HEDDLE_ALLGATHERV(Allgatherv, int, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_ALLGATHER(Allgather_c, MPI_Count)
HEDDLE_ALLGATHERV(Allgatherv_c, MPI_Count, MPI_Aint)
#endif
}
