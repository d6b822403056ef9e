// mpi/calls/neighbors.cpp: MPI_Neighbor_allgather and MPI_Neighbor_alltoall, with v and w, in all
// forms. Heddle exchanges blocks pair by pair (exchange/), or the host exchanges packed blocks.
#include "entry_points.hpp"
#include "mpi/collectives/started_collective.hpp"
#include "mpi/exchange/started.hpp"

namespace heddle::mpi {
namespace {

/// Received: Buffer or VArgument.
template <class Form, class Received, class Hand>
Done packed_neighbor_allgather(const Form& form, const Buffer& send, const Received& receive, MPI_Comm comm,
                               const TimedCall& timed, Hand hand) {
  const mpi::Neighbours peers(comm);
  if (!peers.known()) return {};
  if (timed.is_librarys() && all_packed_by_host(send, 1) && all_packed_by_host(receive, peers.in())) return {};
  using Op = StagedOf<Buffer, Received>;
  return carry_out<Op>(
      "neighbor_allgather", form, comm,
      [&](Op& op) {
        op.absent = peers.absent();  // now: the communicator may be freed before the end
        return op.prepare(send, 1, true, receive, peers.in(), true);
      },
      hand);
}

/// Given: Buffer, VArgument or WArgument.
template <class Form, class Given, class Hand>
Done packed_neighbor_alltoall(const Form& form, const Given& send, const Given& receive, MPI_Comm comm, const TimedCall& timed,
                              Hand hand) {
  const mpi::Neighbours peers(comm);
  if (timed.is_librarys() && all_packed_by_host(send, peers.out()) && all_packed_by_host(receive, peers.in())) return {};
  if (!peers.known() || (!any_known(send, peers.out()) && !any_known(receive, peers.in()))) return {};
  using Op = StagedOf<Given, Given>;
  return carry_out<Op>(
      "neighbor_alltoall", form, comm,
      [&](Op& op) {
        op.wide_places = std::is_same_v<Given, WArgument>;  // displacements of the w procedure are MPI_Aint in both its forms
        op.absent = peers.absent();                         // now: the communicator may be freed before the end
        return op.prepare(send, peers.out(), true, receive, peers.in(), true);
      },
      hand);
}

template <class Form, class Host, class Received, class Hand>
int neighbor_allgather(const Form& form, Host host, const Buffer& send, const Received& receive, MPI_Comm comm, Hand hand) {
  TimedCall timed;
  if (const Done done = exchange_pairs(form, patterns::gather_neighbours, send, receive, comm, timed)) return *done;
  if (none_known(send, receive)) return host();
  return packed_neighbor_allgather(form, send, receive, comm, timed, hand).or_call(host);
}

template <class Form, class Host, class Given, class Hand>
int neighbor_alltoall(const Form& form, Host host, const Given& send, const Given& receive, MPI_Comm comm, Hand hand) {
  TimedCall timed;
  if (const Done done = exchange_pairs(form, patterns::neighbours, send, receive, comm, timed)) return *done;
  if (none_known(send, receive)) return host();
  return packed_neighbor_alltoall(form, send, receive, comm, timed, hand).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_COLLECTIVE_Neighbor_allgather(neighbor_allgather) HEDDLE_COLLECTIVE_Neighbor_allgatherv(neighbor_allgather)
    HEDDLE_COLLECTIVE_Neighbor_alltoall(neighbor_alltoall) HEDDLE_COLLECTIVE_Neighbor_alltoallv(neighbor_alltoall)
        HEDDLE_COLLECTIVE_Neighbor_alltoallw(neighbor_alltoall)
}
