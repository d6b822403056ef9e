// mpi/calls/allgather.cpp: MPI_Allgather, MPI_Allgatherv, their non-blocking and persistent forms.
// In place, a rank's own block is its contribution: it goes into the staging buffer first and is
// not written back.
#include "entry_points.hpp"
#include "mpi/collectives/started_collective.hpp"
#include "mpi/exchange/started.hpp"

namespace heddle::mpi {
namespace {

/// Heddle carries it out, by a schedule or pair by pair. Nothing: it does not.
/// @param timed  Lives until the end of the call.
template <class Form, class Received>
Done gathered_by_heddle(const Form& form, const Buffer& send, const Received& receive, MPI_Comm comm, TimedCall& timed) {
  if constexpr (std::is_same_v<Received, Buffer>)
    return {};
  else if constexpr (Form::blocking)
    return gather_passes(receive, comm, timed) ? Done() : exchange_gather(send, receive, comm, timed);
  else
    return exchange_started(form, patterns::gather_all, send, receive, comm);
}

/// Received: Buffer or VArgument.
template <class Form, class Received, class Hand>
Done carry_out_allgather(const Form& form, const Buffer& send, const Received& receive, MPI_Comm comm, Hand hand) {
  const Peers peers(comm);
  const bool in_place = send.address == MPI_IN_PLACE;
  const int me = in_place && peers.known ? own_rank(comm) : -1;
  if (!peers.known || (in_place && me < 0) || same_elements(send, receive)) return {};
  using Op = StagedOf<Buffer, Received>;
  return carry_out<Op>(
      "allgather", form, comm,
      [&](Op& op) {
        if (in_place) op.contributes = op.but = me;
        if (!op.prepare(send, 1, !in_place, receive, peers.ranks, true)) return false;
        // Each rank of Open MPI chooses the algorithm of the v procedure for itself, by the size of
        // the send type times the receive counts. So a rank that sends nothing, by an empty type,
        // must name the basic type of the other ranks.
        if constexpr (std::is_same_v<Received, VArgument>)
          if (op.out.count().value == 0) op.out.name(op.in.type());
        return true;
      },
      hand);
}

template <class Form, class Host, class Received, class Hand>
int allgather(const Form& form, Host host, const Buffer& send, const Received& receive, MPI_Comm comm, Hand hand) {
  TimedCall timed;
  if (const Done done = gathered_by_heddle(form, send, receive, comm, timed)) return *done;
  if (none_known(send, receive)) return host();
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return carry_out_allgather(form, send, receive, comm, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Allgather(allgather) HEDDLE_COLLECTIVE_Allgatherv(allgather)
}
