// mpi/calls/bcast.cpp: MPI_Bcast, MPI_Ibcast, MPI_Bcast_init: the root packs, the others put in place.
#include "entry_points.hpp"
#include "mpi/collectives/staged.hpp"

namespace heddle::mpi {
namespace {

template <class How>
Done carry_out_bcast(const How& how, const Buffer& data, int root, MPI_Comm comm) {
  if (!known(data.type)) return {};
  if (const Plain plain(data, comm); plain)
    return HEDDLE_CALL_Bcast(how, false, plain.address(), plain.count(), plain.type(), root, comm);
  const Rooted place(root, comm);
  if (!place.known || (!place.root && !place.leaf)) return {};
  if (place.root && place.leaf && place.ranks == 1) return {};  // alone
  using Op = Staged<Side, Side>;
  return carry_out<Op>(
      "broadcast", how,
      [&](Op& op) {
        op.contributes = place.root ? Op::all : Op::none;
        op.stores = place.root ? Op::none : Op::all;
        return op.prepare(Buffer{}, 0, false, data, 1, true);
      },
      [&](Op& op) { return HEDDLE_CALL_Bcast(how, op.wide, op.in.address(), op.in.count(), op.in.type(), root, comm); });
}

template <class How, class Host>
int bcast(const How& how, Host host, void* buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return carry_out_bcast(how, {buffer, count, datatype}, root, comm).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Bcast(bcast)
}
