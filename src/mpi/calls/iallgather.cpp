// mpi/calls/iallgather.cpp: MPI_Iallgather, MPI_Iallgatherv and their persistent forms, as MPI_Allgather.
#include "mpi/exchange/gathers.hpp"
#include "mpi/exchange/started.hpp"
#include "mpi/requests/collective.hpp"

namespace heddle::mpi {
namespace {

template <class How>
Done allgather(const Buffer& send, const Buffer& receive, MPI_Comm comm, const How& how) {
  if (const Plain out(send, comm), in(receive, comm); out && in && !same_elements(send, receive))
    return HEDDLE_HAND_HOW(how, false, Iallgather, Allgather_init, out.address(), out.count(), out.type(), in.address(),
                           in.count(), in.type(), comm);
  const Peers peers(comm);
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = in_place && peers.known ? own_rank(comm) : -1;
  if (!peers.known || (in_place && me < 0) || same_elements(send, receive)) return {};
  using Op = Staged<OneSide, OneSide>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        op.out.emplace(send, 1, !in_place);
        op.in.emplace(receive, peers.ranks);
        if ((!op.out->ours() && !op.in->ours()) || !op.out->prepare() || !op.in->prepare()) return false;
        op.wide = op.out->wide() || op.in->wide();
        op.contributes = op.but = in_place ? me : Op::none;
        op.blocks = peers.ranks;
        return true;
      },
      [&](Op& op) {
        return HEDDLE_HAND_HOW(how, op.wide, Iallgather, Allgather_init, op.out->address(), op.out->count(), op.out->type(),
                               op.in->address(), op.in->count(), op.in->type(), comm);
      });
}

template <class How>
Done allgather(const Buffer& send, const Spread& receive, MPI_Comm comm, const How& how) {
  const Peers peers(comm);
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = in_place && peers.known ? own_rank(comm) : -1;
  if (!peers.known || (in_place && me < 0) || same_elements(send, receive)) return {};
  using Op = Staged<OneSide, Blocks>;
  return carry_out<Op>(
      how,
      [&](Op& op) {
        op.out.emplace(send, 1, !in_place);
        if (!op.out->prepare() || !op.in.prepare(receive, peers.ranks)) return false;
        if (!op.out->ours() && !op.in.ours()) return false;
        op.wide = op.out->wide() || op.in.wide();
        op.in.narrow_unless(op.wide);
        op.contributes = op.but = in_place ? me : Op::none;
        op.blocks = peers.ranks;
        return true;
      },
      [&](Op& op) {  // who sends nothing names the type of the rest: calls/allgather.cpp
        const MPI_Datatype sent = op.out->count().value == 0 ? op.in.type() : op.out->type();
        return HEDDLE_HAND_HOW(how, op.wide, Iallgatherv, Allgatherv_init, op.out->address(), op.out->count(), sent,
                               op.in.address(), op.in.counts(), op.in.displacements(), op.in.type(), comm);
      });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_ALLGATHER(name, Integer, How)                                                                                \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, Integer recvcount,           \
                 MPI_Datatype recvtype, MPI_Comm comm, HEDDLE_ENDS(How)) {                                                  \
    if (known(sendtype) || known(recvtype))                                                                                 \
      if (const Done done =                                                                                                 \
              allgather(Buffer{sendbuf, sendcount, sendtype}, Buffer{recvbuf, recvcount, recvtype}, comm, HEDDLE_HOW(How))) \
        return *done;                                                                                                       \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, HEDDLE_END(How));                  \
  }

#define HEDDLE_ALLGATHERV(name, Integer, Displacement, How)                                                                \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, void* recvbuf, const Integer recvcounts[], \
                 const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm, HEDDLE_ENDS(How)) {                   \
    const Buffer send{sendbuf, sendcount, sendtype};                                                                       \
    const Spread receive{recvbuf, recvcounts, rdispls, recvtype};                                                          \
    const auto how = HEDDLE_HOW(How);                                                                                      \
    if (const Done done = exchange_started<blocks::GatherAll>("MPI_" #name, send, receive, comm, how)) return *done;       \
    if (known(sendtype) || known(recvtype))                                                                                \
      if (const Done done = allgather(send, receive, comm, how)) return *done;                                             \
    return PMPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, HEDDLE_END(How));       \
  }

extern "C" {
HEDDLE_ALLGATHER(Iallgather, int, Started)
HEDDLE_ALLGATHERV(Iallgatherv, int, int, Started)
#if HEDDLE_PERSISTENT_COLLECTIVES
HEDDLE_ALLGATHER(Allgather_init, int, Kept)
HEDDLE_ALLGATHERV(Allgatherv_init, int, int, Kept)
#endif
#if HEDDLE_LARGE_COUNTS
HEDDLE_ALLGATHER(Iallgather_c, MPI_Count, Started)
HEDDLE_ALLGATHER(Allgather_init_c, MPI_Count, Kept)
HEDDLE_ALLGATHERV(Iallgatherv_c, MPI_Count, MPI_Aint, Started)
HEDDLE_ALLGATHERV(Allgatherv_init_c, MPI_Count, MPI_Aint, Kept)
#endif
}
