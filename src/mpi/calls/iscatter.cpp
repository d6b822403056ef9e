// mpi/calls/iscatter.cpp: MPI_Iscatter, MPI_Iscatterv and their persistent forms, as MPI_Scatter.
#include "mpi/requests/rooted.hpp"

namespace heddle::mpi {
namespace {

template <class How>
Done scatter(const Buffer& send, const Buffer& receive, int root, MPI_Comm comm, const How& how) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return HEDDLE_HAND_HOW(how, false, Iscatter, Scatter_init, out.address(), out.count(), out.type(), in.address(), in.count(),
                           in.type(), root, comm);
  return carry_out_rooted<One::received>(send, receive, root, comm, how, [&](auto& op) {
    return HEDDLE_HAND_HOW(how, op.wide, Iscatter, Scatter_init, op.out->address(), op.out->count(), op.out->type(),
                           op.in->address(), op.in->count(), op.in->type(), root, comm);
  });
}

template <class How>
Done scatter(const Spread& send, const Buffer& receive, int root, MPI_Comm comm, const How& how) {
  return carry_out_rooted<One::received>(send, receive, root, comm, how, [&](auto& op) {
    return HEDDLE_HAND_HOW(how, op.wide, Iscatterv, Scatterv_init, op.out.address(), op.out.counts(), op.out.displacements(),
                           op.out.type(), op.in->address(), op.in->count(), op.in->type(), root, comm);
  });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_SCATTER(name, Integer, How)                                                                                  \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,           \
                 MPI_Datatype recvtype, int root, MPI_Comm comm, HEDDLE_ENDS(How)) {                                        \
    if (known(sendtype) || known(recvtype))                                                                                 \
      if (const Done done = scatter(Buffer{sendbuf, sendcount, sendtype}, Buffer{recvbuf, recvcount, recvtype}, root, comm, \
                                    HEDDLE_HOW(How)))                                                                       \
        return *done;                                                                                                       \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, HEDDLE_END(How));            \
  }

#define HEDDLE_SCATTERV(name, Integer, Displacement, How)                                                                  \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype,     \
                 void* recvbuf, Integer recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, HEDDLE_ENDS(How)) {     \
    if (known(sendtype) || known(recvtype))                                                                                \
      if (const Done done = scatter(Spread{sendbuf, sendcounts, sdispls, sendtype}, Buffer{recvbuf, recvcount, recvtype},  \
                                    root, comm, HEDDLE_HOW(How)))                                                          \
        return *done;                                                                                                      \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcount, recvtype, root, comm, HEDDLE_END(How)); \
  }

extern "C" {
HEDDLE_SCATTER(Iscatter, int, Started)
HEDDLE_SCATTERV(Iscatterv, int, int, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_SCATTER(Scatter_init, int, Kept)
HEDDLE_SCATTERV(Scatterv_init, int, int, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_SCATTER(Iscatter_c, MPI_Count, Started)
HEDDLE_SCATTER(Scatter_init_c, MPI_Count, Kept)
HEDDLE_SCATTERV(Iscatterv_c, MPI_Count, MPI_Aint, Started)
HEDDLE_SCATTERV(Scatterv_init_c, MPI_Count, MPI_Aint, Kept)
#endif
}
