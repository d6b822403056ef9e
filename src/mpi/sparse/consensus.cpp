// mpi/sparse/consensus.cpp: non-blocking consensus (schedule/exchange/consensus.cpp).
//
//   rank 0   Issend ──► 2   answered: Ibarrier ─────────────► over
//   rank 1   (nothing to send)        Ibarrier ─────────────► over
//   rank 2   Issend ──► 0   probe, receive    Ibarrier ─────► over     all sends are received: no message is left anywhere
#include "engine/give_way.hpp"
#include "engine/wait.hpp"
#include "mpi/sparse/ways.hpp"

namespace heddle::mpi::sparse {
namespace {

/// Bytes from which on a message is received while others are looked for.
constexpr Bytes long_one = 16 << 10;

/// Takes in a message if one is there.
bool take(Job& job, int tag, Requests& receives) {
  int there = 0;
  MPI_Message held = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(PMPI_Improbe(MPI_ANY_SOURCE, tag, job.shadow.comm(), &there, &held, &status));
  if (!there) return false;
  MPI_Count bytes = 0;
  check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
  std::byte* at = job.in.keep(bytes);
  job.in.add(status.MPI_SOURCE, at, bytes);
  const Wire wire(bytes);
  if (bytes < long_one) {
    check(PMPI_Mrecv(at, wire.count(), wire.type(), &held, MPI_STATUS_IGNORE));
  } else {
    receives.push_back(MPI_REQUEST_NULL);
    check(PMPI_Imrecv(at, wire.count(), wire.type(), &held, &receives.back()));
  }
  return true;
}

}  // namespace

int by_consensus(Job& job) {
  ShadowComm& shadow = job.shadow;
  const int tag = shadow.consensus_tag();
  Requests sends;
  for (const Outgoing::Message& message : job.out.messages()) {
    const std::byte* at = bytes_of(message, job);
    if (message.to == shadow.me())
      job.in.add(shadow.me(), at, message.bytes);
    else
      send_synchronous(at, message.bytes, message.to, tag, shadow.comm(), sends);
  }
  Requests receives;
  MPI_Request barrier = MPI_REQUEST_NULL;
  engine::Patience patience(engine::ranks_of_node() > engine::cores_of_node());
  for (int over = shadow.ranks() == 1; !over;) {
    const bool came = take(job, tag, receives);
    if (barrier != MPI_REQUEST_NULL) {
      check(PMPI_Test(&barrier, &over, MPI_STATUS_IGNORE));
    } else {
      int received = 0;
      check(PMPI_Testall(static_cast<int>(sends.size()), sends.data(), &received, MPI_STATUSES_IGNORE));
      if (received) check(PMPI_Ibarrier(shadow.comm(), &barrier));
    }
    if (came)
      patience.renew();
    else if (!over)
      patience.pause();
  }
  wait_all(receives);
  return job.in.place(job.arrivals);
}

}  // namespace heddle::mpi::sparse
