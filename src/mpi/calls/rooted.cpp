// mpi/calls/rooted.cpp: broadcast, gather and scatter, in all forms. Ranks that send pack their
// data, ranks that receive put it in place. The arguments for all ranks' blocks may be read at the
// root only.
#include "entry_points.hpp"
#include "mpi/collectives/started_collective.hpp"

namespace heddle::mpi {
namespace {

template <class Form, class Hand>
Done carry_out_bcast(const Form& form, const Buffer& data, int root, MPI_Comm comm, Hand hand) {
  if (!known(data.type)) return {};
  struct {
    Plain in;
    bool wide = false;
  } plain{Plain(data, comm)};
  if (plain.in) return hand(plain);
  const Rooted place(root, comm);
  if (!place.known || (!place.root && !place.leaf)) return {};
  if (place.root && place.leaf && place.ranks == 1) return {};  // alone
  using Op = StagedOf<Buffer, Buffer>;
  return carry_out<Op>(
      "broadcast", form, comm,
      [&](Op& op) {
        op.contributes = place.root ? Op::all : Op::none;
        op.stores = place.root ? Op::none : Op::all;
        return op.prepare(Buffer{}, 0, false, data, 1, true);
      },
      hand);
}

/// One block at each rank, all of them at the root. Received: Buffer or VArgument.
template <class Form, class Received, class Hand>
Done carry_out_gather(const Form& form, const Buffer& send, const Received& receive, int root, MPI_Comm comm, Hand hand) {
  constexpr bool alike = std::is_same_v<Received, Buffer>;
  const Rooted place(root, comm);
  if (!place.known || (place.root && place.leaf && same_elements(send, receive))) return {};
  using Op = StagedOf<Buffer, Received>;
  return carry_out<Op>(
      "gather", form, comm,
      [&](Op& op) {
        const bool in_place = place.root && send.address == MPI_IN_PLACE;
        if (!op.prepare(send, 1, place.leaf && !in_place, receive, place.ranks, place.root)) return false;
        op.stores = place.root ? Op::all : Op::none;
        if (in_place)
          op.but = place.me;
        else if constexpr (Form::blocking && alike)
          if (place.root && place.leaf) op.move_own(0, place.me);
        return true;
      },
      hand);
}

/// All blocks at the root, one of them to each rank. Sent: Buffer or VArgument.
template <class Form, class Sent, class Hand>
Done carry_out_scatter(const Form& form, const Sent& send, const Buffer& receive, int root, MPI_Comm comm, Hand hand) {
  constexpr bool alike = std::is_same_v<Sent, Buffer>;
  const Rooted place(root, comm);
  if (!place.known || (place.root && place.leaf && same_elements(send, receive))) return {};
  using Op = StagedOf<Sent, Buffer>;
  return carry_out<Op>(
      "scatter", form, comm,
      [&](Op& op) {
        const bool in_place = place.root && receive.address == MPI_IN_PLACE;
        if (!op.prepare(send, place.ranks, place.root, receive, 1, place.leaf && !in_place)) return false;
        if (in_place)
          op.sends_but = place.me;
        else if constexpr (Form::blocking && alike)
          if (place.root && place.leaf) op.move_own(place.me, 0);
        return true;
      },
      hand);
}

template <class Form, class Host, class Hand>
int bcast(const Form& form, Host host, const Buffer& data, int root, MPI_Comm comm, Hand hand) {
  return carry_out_bcast(form, data, root, comm, hand).or_call(host);
}

template <class Form, class Host, class Received, class Hand>
int gather(const Form& form, Host host, const Buffer& send, const Received& receive, int root, MPI_Comm comm, Hand hand) {
  if (none_known(send, receive)) return host();
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return carry_out_gather(form, send, receive, root, comm, hand).or_call(host);
}

template <class Form, class Host, class Sent, class Hand>
int scatter(const Form& form, Host host, const Sent& send, const Buffer& receive, int root, MPI_Comm comm, Hand hand) {
  if (none_known(send, receive)) return host();
  if (const Done done = hand_plain(send, receive, comm, hand)) return *done;
  return carry_out_scatter(form, send, receive, root, comm, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Bcast(bcast) HEDDLE_COLLECTIVE_Gather(gather) HEDDLE_COLLECTIVE_Gatherv(gather)
    HEDDLE_COLLECTIVE_Scatter(scatter) HEDDLE_COLLECTIVE_Scatterv(scatter)
}
