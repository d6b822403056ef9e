// mpi/calls/igather.cpp: MPI_Igather, MPI_Igatherv and their persistent forms, as MPI_Gather.
#include "mpi/requests/rooted.hpp"

namespace heddle::mpi {
namespace {

template <class How>
Done gather(const Buffer& send, const Buffer& receive, int root, MPI_Comm comm, const How& how) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return HEDDLE_HAND_HOW(how, false, Igather, Gather_init, out.address(), out.count(), out.type(), in.address(), in.count(),
                           in.type(), root, comm);
  return carry_out_rooted<One::sent>(send, receive, root, comm, how, [&](auto& op) {
    return HEDDLE_HAND_HOW(how, op.wide, Igather, Gather_init, op.out->address(), op.out->count(), op.out->type(),
                           op.in->address(), op.in->count(), op.in->type(), root, comm);
  });
}

template <class How>
Done gather(const Buffer& send, const Spread& receive, int root, MPI_Comm comm, const How& how) {
  return carry_out_rooted<One::sent>(send, receive, root, comm, how, [&](auto& op) {
    return HEDDLE_HAND_HOW(how, op.wide, Igatherv, Gatherv_init, op.out->address(), op.out->count(), op.out->type(),
                           op.in.address(), op.in.counts(), op.in.displacements(), op.in.type(), root, comm);
  });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_GATHER(name, Integer, How)                                                                                      \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,              \
                 MPI_Datatype recvtype, int root, MPI_Comm comm, HEDDLE_ENDS(How)) {                                           \
    if (known(sendtype) || known(recvtype))                                                                                    \
      if (const Done done =                                                                                                    \
              gather(Buffer{sendbuf, sendcount, sendtype}, Buffer{recvbuf, recvcount, recvtype}, root, comm, HEDDLE_HOW(How))) \
        return *done;                                                                                                          \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, HEDDLE_END(How));               \
  }

#define HEDDLE_GATHERV(name, Integer, Displacement, How)                                                                       \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, const Integer recvcounts[],     \
                 const Displacement rdispls[], MPI_Datatype recvtype, int root, MPI_Comm comm, HEDDLE_ENDS(How)) {             \
    if (known(sendtype) || known(recvtype))                                                                                    \
      if (const Done done = gather(Buffer{sendbuf, sendcount, sendtype}, Spread{recvbuf, recvcounts, rdispls, recvtype}, root, \
                                   comm, HEDDLE_HOW(How)))                                                                     \
        return *done;                                                                                                          \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtype, root, comm, HEDDLE_END(How));     \
  }

extern "C" {
HEDDLE_GATHER(Igather, int, Started)
HEDDLE_GATHERV(Igatherv, int, int, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_GATHER(Gather_init, int, Kept)
HEDDLE_GATHERV(Gatherv_init, int, int, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_GATHER(Igather_c, MPI_Count, Started)
HEDDLE_GATHER(Gather_init_c, MPI_Count, Kept)
HEDDLE_GATHERV(Igatherv_c, MPI_Count, MPI_Aint, Started)
HEDDLE_GATHERV(Gatherv_init_c, MPI_Count, MPI_Aint, Kept)
#endif
}
