// mpi/calls/ibcast.cpp: MPI_Ibcast and MPI_Bcast_init, as MPI_Bcast.
#include "mpi/requests/collective.hpp"

namespace heddle::mpi {
namespace {

template <class How>
Done broadcast(const Buffer& data, int root, MPI_Comm comm, const How& how) {
  if (const Plain plain(data, comm); plain)
    return HEDDLE_HAND_HOW(how, false, Ibcast, Bcast_init, plain.address(), plain.count(), plain.type(), root, comm);
  const Rooted place(root, comm);
  if (!place.known || (!place.root && !place.leaf)) return {};
  if (place.root && place.leaf && place.ranks == 1) return {};  // alone
  using Op = Staged<OneSide, OneSide>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        op.in.emplace(data, 1);
        op.sends = false;
        op.contributes = place.root ? Op::all : Op::none;
        op.stores = place.root ? Op::none : Op::all;
        if (!op.in->ours() || !op.in->prepare()) return false;
        op.wide = op.in->wide();
        return true;
      },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Ibcast, Bcast_init, op.in->address(), op.in->count(), op.in->type(), root, comm);
      });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_BROADCAST(name, Integer, How)                                                                      \
  int MPI_##name(void* buffer, Integer count, MPI_Datatype datatype, int root, MPI_Comm comm, HEDDLE_ENDS(How)) { \
    if (known(datatype))                                                                                          \
      if (const Done done = broadcast({buffer, count, datatype}, root, comm, HEDDLE_HOW(How))) return *done;      \
    return PMPI_##name(buffer, count, datatype, root, comm, HEDDLE_END(How));                                     \
  }

extern "C" {
HEDDLE_BROADCAST(Ibcast, int, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_BROADCAST(Bcast_init, int, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_BROADCAST(Ibcast_c, MPI_Count, Started)
HEDDLE_BROADCAST(Bcast_init_c, MPI_Count, Kept)
#endif
}
