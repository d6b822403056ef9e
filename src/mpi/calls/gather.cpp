// mpi/calls/gather.cpp: MPI_Gather and MPI_Gatherv. Only the root's receive arguments may be read.
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {

Done gather(const Buffer& send, const Buffer& receive, int root, MPI_Comm comm) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return PMPI_Gather(out.address(), out.count(), out.type(), in.address(), in.count(), in.type(), root, comm);
  const Rooted place(root, comm);
  if (!place.known) return {};
  const bool in_place = place.root && send.address == MPI_IN_PLACE;
  Side out(send, 1, place.leaf && !in_place);
  Side in(receive, place.ranks, place.root);
  if (!out.ours() && !in.ours()) return {};
  if (place.root && place.leaf && same_elements(send, receive)) return {};
  if (!out.prepare() || !in.prepare()) return {};
  const bool moved = place.root && place.leaf && !in_place && move_own_block(out, 0, in, place.me);
  if (!moved) out.load();
  const Done done = HEDDLE_HAND(out.wide() || in.wide(), Gather, out.address(), out.count(), out.type(), in.address(),
                                in.count(), in.type(), root, comm);
  if (done != MPI_SUCCESS || !place.root) return done;
  if (in_place || moved)
    in.store_but(place.me);
  else
    in.store();
  return done;
}

Done gather(const Buffer& send, const Spread& receive, int root, MPI_Comm comm) {
  const Rooted place(root, comm);
  if (!place.known) return {};
  const bool in_place = place.root && send.address == MPI_IN_PLACE;
  Side out(send, 1, place.leaf && !in_place);
  Blocks in;
  if (!out.prepare() || !in.prepare(receive, place.ranks, place.root)) return {};
  if (!out.ours() && !in.ours()) return {};
  if (place.root && place.leaf && same_elements(send, receive)) return {};
  out.load();
  const bool wide = out.wide() || in.wide();
  in.narrow_unless(wide);
  const Done done = HEDDLE_HAND(wide, Gatherv, out.address(), out.count(), out.type(), in.address(), in.counts(),
                                in.displacements(), in.type(), root, comm);
  if (done != MPI_SUCCESS || !place.root) return done;
  for (int i = 0; i < place.ranks; ++i)
    if (!in_place || i != place.me) in.store(i);
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_GATHER(name, Integer)                                                                                        \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,           \
                 MPI_Datatype recvtype, int root, MPI_Comm comm) {                                                          \
    if (known(sendtype) || known(recvtype))                                                                                 \
      if (const Done done = face::gather({sendbuf, sendcount, sendtype}, Buffer{recvbuf, recvcount, recvtype}, root, comm)) \
        return *done;                                                                                                       \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);                             \
  }

#define HEDDLE_GATHERV(name, Integer, Displacement)                                                                        \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, const Integer recvcounts[], \
                 const Displacement displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {                            \
    if (known(sendtype) || known(recvtype))                                                                                \
      if (const Done done =                                                                                                \
              face::gather({sendbuf, sendcount, sendtype}, Spread{recvbuf, recvcounts, displs, recvtype}, root, comm))     \
        return *done;                                                                                                      \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);                   \
  }

extern "C" {
HEDDLE_GATHER(Gather, int)
HEDDLE_GATHERV(Gatherv, int, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_GATHER(Gather_c, MPI_Count)
HEDDLE_GATHERV(Gatherv_c, MPI_Count, MPI_Aint)
#endif
}
