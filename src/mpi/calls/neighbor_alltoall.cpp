// mpi/calls/neighbor_alltoall.cpp: MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallw: pair by pair
// (exchange.hpp), or through the host, packed.
#include <type_traits>

#include "mpi/exchange/exchange.hpp"
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi::face {
namespace {

/// The v and w procedures: Given is Spread or Mosaic, `hand` calls the host's with both stand-ins, in large counts if `wide`.
template <class Given, class Hand>
Done blockwise(const Given& send, const Given& receive, MPI_Comm comm, Hand hand) {
  Neighbours peers(comm);
  if (!peers.known() || (!any_known(send, peers.out()) && !any_known(receive, peers.in()))) return {};
  Blocks out;
  Blocks in;
  if (!out.prepare(send, peers.out()) || !in.prepare(receive, peers.in())) return {};
  if (!out.ours() && !in.ours()) return {};
  out.load();
  constexpr bool v = std::is_same_v<Given, Spread>;  // displacements of the w procedure are MPI_Aint in both its forms
  const bool wide = v ? out.wide() || in.wide() : out.wide_counts() || in.wide_counts();
  for (Blocks* side : {&out, &in}) v ? side->narrow_unless(wide) : side->narrow_counts_unless(wide);
  const Done done = hand(wide, out, in);
  if (done != MPI_SUCCESS) return done;
  for (int i = 0; i < peers.in(); ++i)
    if (!peers.absent(i)) in.store(i);
  return done;
}

}  // namespace

Done neighbor_alltoall(const Buffer& send, const Buffer& receive, MPI_Comm comm) {
  Neighbours peers(comm);
  if (!peers.known()) return {};
  Side out(send, peers.out());
  Side in(receive, peers.in());
  if ((!out.ours() && !in.ours()) || !out.prepare() || !in.prepare()) return {};
  out.load();
  const Done done = HEDDLE_HAND(out.wide() || in.wide(), Neighbor_alltoall, out.address(), out.count(), out.type(),
                                in.address(), in.count(), in.type(), comm);
  if (done != MPI_SUCCESS) return done;
  for (int i = 0; i < peers.in(); ++i)
    if (!peers.absent(i)) in.store(i, 1);
  return done;
}

Done neighbor_alltoall(const Spread& send, const Spread& receive, MPI_Comm comm) {
  return blockwise(send, receive, comm, [comm](bool wide, const Blocks& out, const Blocks& in) -> Done {
    return HEDDLE_HAND(wide, Neighbor_alltoallv, out.address(), out.counts(), out.displacements(), out.type(), in.address(),
                       in.counts(), in.displacements(), in.type(), comm);
  });
}

Done neighbor_alltoall(const Mosaic& send, const Mosaic& receive, MPI_Comm comm) {
  return blockwise(send, receive, comm, [comm](bool wide, const Blocks& out, const Blocks& in) -> Done {
    return HEDDLE_HAND(wide, Neighbor_alltoallw, out.address(), out.counts(), out.displacements(), out.types(), in.address(),
                       in.counts(), in.displacements(), in.types(), comm);
  });
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_NEIGHBOR_ALLTOALL(name, Integer)                                                                   \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount, \
                 MPI_Datatype recvtype, MPI_Comm comm) {                                                          \
    const Buffer send{sendbuf, sendcount, sendtype};                                                              \
    const Buffer receive{recvbuf, recvcount, recvtype};                                                           \
    if (const Done done = exchange_neighbours("MPI_" #name, send, receive, comm)) return *done;                   \
    if (known(sendtype) || known(recvtype))                                                                       \
      if (const Done done = face::neighbor_alltoall(send, receive, comm)) return *done;                           \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);                         \
  }

#define HEDDLE_NEIGHBOR_ALLTOALLV(name, Integer, Displacement)                                                         \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype, \
                 void* recvbuf, const Integer recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype,       \
                 MPI_Comm comm) {                                                                                      \
    const Spread send{sendbuf, sendcounts, sdispls, sendtype};                                                         \
    const Spread receive{recvbuf, recvcounts, rdispls, recvtype};                                                      \
    if (const Done done = exchange_neighbours("MPI_" #name, send, receive, comm)) return *done;                        \
    if (known(sendtype) || known(recvtype))                                                                            \
      if (const Done done = face::neighbor_alltoall(send, receive, comm)) return *done;                                \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);          \
  }

#define HEDDLE_NEIGHBOR_ALLTOALLW(name, Integer)                                                                            \
  int MPI_##name(const void* sendbuf, const Integer sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], \
                 void* recvbuf, const Integer recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],       \
                 MPI_Comm comm) {                                                                                           \
    const Mosaic send{sendbuf, sendcounts, sdispls, sendtypes};                                                             \
    const Mosaic receive{recvbuf, recvcounts, rdispls, recvtypes};                                                          \
    if (const Done done = exchange_neighbours("MPI_" #name, send, receive, comm)) return *done;                             \
    if (const Done done = face::neighbor_alltoall(send, receive, comm)) return *done;                                       \
    return PMPI_##name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);             \
  }

extern "C" {
HEDDLE_NEIGHBOR_ALLTOALL(Neighbor_alltoall, int)
HEDDLE_NEIGHBOR_ALLTOALLV(Neighbor_alltoallv, int, int)
HEDDLE_NEIGHBOR_ALLTOALLW(Neighbor_alltoallw, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_NEIGHBOR_ALLTOALL(Neighbor_alltoall_c, MPI_Count)
HEDDLE_NEIGHBOR_ALLTOALLV(Neighbor_alltoallv_c, MPI_Count, MPI_Aint)
HEDDLE_NEIGHBOR_ALLTOALLW(Neighbor_alltoallw_c, MPI_Count)
#endif
}
