// mpi/calls/bcast.cpp: MPI_Bcast: the root packs, the others put in place.
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {

Done broadcast(const Buffer& data, int root, MPI_Comm comm) {
  if (const Plain plain(data, comm); plain) return PMPI_Bcast(plain.address(), plain.count(), plain.type(), root, comm);
  const Rooted place(root, comm);
  if (!place.known || (!place.root && !place.leaf)) return {};
  if (place.root && place.leaf && place.ranks == 1) return {};  // alone
  Side side(data, 1);
  if (!side.ours() || !side.prepare()) return {};
  if (place.root) side.load();
  const Done done = HEDDLE_HAND(side.wide(), Bcast, side.address(), side.count(), side.type(), root, comm);
  if (done == MPI_SUCCESS && !place.root) side.store();
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_BROADCAST(name, Integer)                                                           \
  int MPI_##name(void* buffer, Integer count, MPI_Datatype datatype, int root, MPI_Comm comm) {   \
    if (known(datatype))                                                                          \
      if (const Done done = face::broadcast({buffer, count, datatype}, root, comm)) return *done; \
    return PMPI_##name(buffer, count, datatype, root, comm);                                      \
  }

extern "C" {
HEDDLE_BROADCAST(Bcast, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_BROADCAST(Bcast_c, MPI_Count)
#endif
}
