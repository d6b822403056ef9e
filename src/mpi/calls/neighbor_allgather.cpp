// mpi/calls/neighbor_allgather.cpp: MPI_Neighbor_allgather and MPI_Neighbor_allgatherv: pair by pair (exchange/gathers.hpp), or
// through the host, packed.
#include "mpi/exchange/gather.hpp"
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {

Done neighbor_allgather(const Buffer& send, const Buffer& receive, MPI_Comm comm) {
  Neighbours peers(comm);
  if (!peers.known()) return {};
  Side out(send, 1);
  Side in(receive, peers.in());
  if ((!out.ours() && !in.ours()) || !out.prepare() || !in.prepare()) return {};
  out.load();
  const Done done = HEDDLE_HAND(out.wide() || in.wide(), Neighbor_allgather, out.address(), out.count(), out.type(),
                                in.address(), in.count(), in.type(), comm);
  if (done != MPI_SUCCESS) return done;
  for (int i = 0; i < peers.in(); ++i)
    if (!peers.absent(i)) in.store(i, 1);
  return done;
}

Done neighbor_allgather(const Buffer& send, const Spread& receive, MPI_Comm comm) {
  Neighbours peers(comm);
  if (!peers.known()) return {};
  Side out(send, 1);
  Blocks in;
  if (!out.prepare() || !in.prepare(receive, peers.in())) return {};
  if (!out.ours() && !in.ours()) return {};
  out.load();
  const bool wide = out.wide() || in.wide();
  in.narrow_unless(wide);
  const Done done = HEDDLE_HAND(wide, Neighbor_allgatherv, out.address(), out.count(), out.type(), in.address(), in.counts(),
                                in.displacements(), in.type(), comm);
  if (done != MPI_SUCCESS) return done;
  for (int i = 0; i < peers.in(); ++i)
    if (!peers.absent(i)) in.store(i);
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_NEIGHBOR_ALLGATHER(name, Integer)                                                                  \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount, \
                 MPI_Datatype recvtype, MPI_Comm comm) {                                                          \
    const Buffer send{sendbuf, sendcount, sendtype}, receive{recvbuf, recvcount, recvtype};                       \
    if (const Done done = gather_neighbours("MPI_" #name, send, receive, comm)) return *done;                     \
    if (known(sendtype) || known(recvtype))                                                                       \
      if (const Done done = face::neighbor_allgather(send, receive, comm)) return *done;                          \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);                         \
  }

#define HEDDLE_NEIGHBOR_ALLGATHERV(name, Integer, Displacement)                                                            \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, const Integer recvcounts[], \
                 const Displacement displs[], MPI_Datatype recvtype, MPI_Comm comm) {                                      \
    const Buffer send{sendbuf, sendcount, sendtype};                                                                       \
    const Spread receive{recvbuf, recvcounts, displs, recvtype};                                                           \
    if (const Done done = gather_neighbours("MPI_" #name, send, receive, comm)) return *done;                              \
    if (known(sendtype) || known(recvtype))                                                                                \
      if (const Done done = face::neighbor_allgather(send, receive, comm)) return *done;                                   \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);                         \
  }

extern "C" {
HEDDLE_NEIGHBOR_ALLGATHER(Neighbor_allgather, int)
HEDDLE_NEIGHBOR_ALLGATHERV(Neighbor_allgatherv, int, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_NEIGHBOR_ALLGATHER(Neighbor_allgather_c, MPI_Count)
HEDDLE_NEIGHBOR_ALLGATHERV(Neighbor_allgatherv_c, MPI_Count, MPI_Aint)
#endif
}
