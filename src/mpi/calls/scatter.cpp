// mpi/calls/scatter.cpp: MPI_Scatter and MPI_Scatterv. Only the root's send arguments may be read.
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {

Done scatter(const Buffer& send, const Buffer& receive, int root, MPI_Comm comm) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return PMPI_Scatter(out.address(), out.count(), out.type(), in.address(), in.count(), in.type(), root, comm);
  const Rooted place(root, comm);
  if (!place.known) return {};
  const bool in_place = place.root && receive.address == MPI_IN_PLACE;
  Side out(send, place.ranks, place.root);
  Side in(receive, 1, place.leaf && !in_place);
  if (!out.ours() && !in.ours()) return {};
  if (place.root && place.leaf && same_elements(send, receive)) return {};
  if (!out.prepare() || !in.prepare()) return {};
  const bool moved = place.root && place.leaf && !in_place && move_own_block(out, place.me, in, 0);
  if (moved || in_place)
    out.load_but(place.me);
  else
    out.load();
  const Done done = HEDDLE_HAND(out.wide() || in.wide(), Scatter, out.address(), out.count(), out.type(), in.address(),
                                in.count(), in.type(), root, comm);
  if (done == MPI_SUCCESS && !moved) in.store();
  return done;
}

Done scatter(const Spread& send, const Buffer& receive, int root, MPI_Comm comm) {
  const Rooted place(root, comm);
  if (!place.known) return {};
  const bool in_place = place.root && receive.address == MPI_IN_PLACE;
  Blocks out;
  Side in(receive, 1, place.leaf && !in_place);
  if (!out.prepare(send, place.ranks, place.root) || !in.prepare()) return {};
  if (!out.ours() && !in.ours()) return {};
  if (place.root && place.leaf && same_elements(send, receive)) return {};
  out.load();
  const bool wide = out.wide() || in.wide();
  out.narrow_unless(wide);
  const Done done = HEDDLE_HAND(wide, Scatterv, out.address(), out.counts(), out.displacements(), out.type(), in.address(),
                                in.count(), in.type(), root, comm);
  if (done == MPI_SUCCESS) in.store();
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_SCATTER(name, Integer)                                                                                        \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,            \
                 MPI_Datatype recvtype, int root, MPI_Comm comm) {                                                           \
    if (known(sendtype) || known(recvtype))                                                                                  \
      if (const Done done = face::scatter(Buffer{sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm)) \
        return *done;                                                                                                        \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);                              \
  }

#define HEDDLE_SCATTERV(name, Integer, Displacement)                                                                    \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement displs[], MPI_Datatype sendtype,   \
                 void* recvbuf, Integer recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {                    \
    if (known(sendtype) || known(recvtype))                                                                             \
      if (const Done done =                                                                                             \
              face::scatter(Spread{sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root, comm)) \
        return *done;                                                                                                   \
    return PMPI_##name(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);                \
  }

extern "C" {
HEDDLE_SCATTER(Scatter, int)
HEDDLE_SCATTERV(Scatterv, int, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_SCATTER(Scatter_c, MPI_Count)
HEDDLE_SCATTERV(Scatterv_c, MPI_Count, MPI_Aint)
#endif
}
