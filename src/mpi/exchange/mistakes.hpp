// mpi/exchange/mistakes.hpp: what a host refuses of a collective before it says a word to the other ranks. Includes
// shadow_comm.hpp, collectives/peers.hpp, types/arguments.hpp.
//
//   if (const Done refused = mistakes::refused<Kind>(send, receive, comm, own)) return *refused;
//
// Whether a collective is Heddle's all ranks find alike, from what all of them know. What one rank alone can see (its buffers,
// its types) must not change that: the others are on Heddle's way, and would wait for ever for a rank that has gone the host's.
// So a rank either comes along, or does what the host would have it do with a mistake: raise an error, and say nothing to
// anybody. A type that Heddle cannot decode is no mistake: the host packs it (types/element.hpp).
//
//                                       MPICH 5.0.2                                Open MPI 5.0.11
//   a type that is null, or not         of no elements, too; but not blocks        of no elements, too; but not
//   committed                           of the w procedures, nor MPI_Neighbor_     those not committed that are
//                                       alltoall and _allgather                    received in gathers
//   negative counts                     yes                                        yes
//   elements at MPI_BOTTOM              yes                                        no
//   MPI_IN_PLACE where it may not be    if there are elements                      yes
//   the very elements that are sent     yes, but between neighbours                no
//   are received
#pragma once

#include "mpi/collectives/peers.hpp"
#include "mpi/collectives/sides.hpp"
#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi::mistakes {

/// What hosts look at, and how closely.
struct Form {
  bool neighbours;
  bool gathers;
};

enum class End { sent, received };

// One side, of so many blocks. Nothing, or an error code that has been raised.
Done in(const Buffer& data, int blocks, End end, Form form, MPI_Comm comm);
Done in(const VArgument& data, int blocks, End end, Form form, MPI_Comm comm);
Done in(const WArgument& data, int blocks, End end, Form form, MPI_Comm comm);

/// Both, of a gather: MPICH's idea of the same elements (same_elements(), elsewhere).
bool aliased(const Buffer& send, const VArgument& receive, int me) noexcept;
inline Done raised(int error, MPI_Comm comm) { return raise_new(error, MPI_SUCCESS, comm); }

/// @param own  The shadow communicator, if it is there already: it knows how many blocks there are.
template <class Kind, class Given, class Wanted>
Done refused(const Given& send, const Wanted& receive, MPI_Comm comm, const ShadowComm* own) {
  constexpr Form form{Kind::neighbours, Kind::gathers};
  int out = 0;
  int in_blocks = 0;
  int me = 0;
  if (own) {
    out = Kind::sends(*own);
    in_blocks = Kind::receives(*own);
    me = own->me();
  } else if constexpr (Kind::neighbours) {
    const mpi::Neighbours around(comm);
    if (!around.known()) return {};
    out = around.out();
    in_blocks = around.in();
  } else {
    const Peers peers(comm);
    if (!peers.known || peers.inter) return {};
    out = in_blocks = peers.ranks;
    me = own_rank(comm);
  }
  const bool in_place = !Kind::neighbours && (Kind::in_place || send.address == MPI_IN_PLACE);
  if (!in_place)
    if (const Done wrong = in(send, out, End::sent, form, comm)) return wrong;
  if (const Done wrong = in(receive, in_blocks, End::received, form, comm)) return wrong;
  if (in_place || Kind::neighbours || !traits().looks_at_addresses) return {};
  bool same = false;
  if constexpr (std::is_same_v<Given, Wanted>)
    same = same_elements(send, receive);
  else
    same = aliased(send, receive, me);
  return same ? raised(MPI_ERR_BUFFER, comm) : Done();
}

}  // namespace heddle::mpi::mistakes
