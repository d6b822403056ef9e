// mpi/calls/alltoall.cpp: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw, in all forms. Heddle
// exchanges blocks pair by pair (exchange.hpp), or the host exchanges packed blocks. In place, all
// blocks of the receive buffer are packed, exchanged by the host in the staging buffer, and put
// back.
#include "entry_points.hpp"
#include "mpi/collectives/started_collective.hpp"
#include "mpi/exchange/started.hpp"

namespace heddle::mpi {
namespace {

template <class Form, class Given, class Hand>
Done packed_alltoall(const Form& form, const Given& send, const Given& receive, MPI_Comm comm, const TimedCall& timed,
                     Hand hand) {
  const Peers peers(comm);
  if (timed.is_librarys() && all_packed_by_host(send, peers.ranks) && all_packed_by_host(receive, peers.ranks)) return {};
  const bool in_place = send.address == MPI_IN_PLACE;  // then the send types mean nothing
  if (!peers.known || same_elements(send, receive)) return {};
  if (!any_known(receive, peers.ranks) && (in_place || !any_known(send, peers.ranks))) return {};
  // Open MPI would overwrite packed bytes that it has yet to send
  // (HostTraits::overwrites_in_place).
  if (in_place && !Form::blocking && !std::is_same_v<Given, Buffer> && traits().overwrites_in_place) return {};
  using Op = StagedOf<Given, Given>;
  return carry_out<Op>(
      "alltoall", form, comm,
      [&](Op& op) {
        if (!op.prepare(send, peers.ranks, !in_place, receive, peers.ranks, true)) return false;
        op.sends = !in_place;
        op.contributes = in_place ? Op::all : Op::none;
        if constexpr (Form::blocking)
          if (const int me = in_place || peers.inter ? -1 : own_rank(comm); me >= 0) op.move_own(me, me);
        return true;
      },
      hand);
}

/// Given: Buffer, VArgument or WArgument.
template <class Form, class Host, class Given, class Hand>
int alltoall(const Form& form, Host host, const Given& send, const Given& receive, MPI_Comm comm, Hand hand) {
  TimedCall timed;
  Done ours;
  const bool in_place = send.address == MPI_IN_PLACE;
  if constexpr (!Form::blocking)
    ours = in_place ? exchange_started(form, patterns::in_place, receive, receive, comm)
                    : exchange_started(form, patterns::all, send, receive, comm);
  else if (in_place)
    ours = exchange_in_place(form.call, receive, comm);
  else if (!blocks::passes(comm, engine::call_of_all(send), timed) && !blocks::passes_short(receive, comm))
    ours = exchange_all(form.call, send, receive, comm, timed);
  if (ours) return *ours;
  if (none_known(send, receive)) return host();
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return packed_alltoall(form, send, receive, comm, timed, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Alltoall(alltoall) HEDDLE_COLLECTIVE_Alltoallv(alltoall) HEDDLE_COLLECTIVE_Alltoallw(alltoall)
}
