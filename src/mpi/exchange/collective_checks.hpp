// mpi/exchange/collective_checks.hpp: finds the arguments of a collective that a host refuses
// before it sends anything to other ranks (engine/exchange/argument_checks.hpp).
//
//   if (const Done refused = argument_checks::refused(pattern, send, receive, comm, own)) return *refused;
//
// All ranks decide alike whether a collective is Heddle's, from facts that all of them know. Facts
// that one rank alone can see (its buffers, its types) must not change the decision. The other
// ranks are on Heddle's way, and would wait forever for a rank that calls the host. So a rank takes
// part, or treats a mistake as the host would: it raises an error, and sends nothing. A type that
// Heddle cannot decode is no mistake: the host packs it (types/element.hpp).
#pragma once

#include "engine/exchange/argument_checks.hpp"
#include "mpi/collectives/host_sides.hpp"
#include "mpi/collectives/peers.hpp"
#include "mpi/exchange/collective_patterns.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/handles.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi::argument_checks {

using engine::argument_checks::End;
using engine::argument_checks::Wrong;

/// Asks the host by a message to MPI_PROC_NULL. The host checks its arguments like those of a
/// collective, so the error is the host's own.
class Asked {
 public:
  explicit Asked(MPI_Comm comm) noexcept : comm_(comm) {}

  [[nodiscard]] static const HostTraits& traits() noexcept { return mpi::traits(); }
  [[nodiscard]] static bool null(MPI_Datatype type) noexcept { return type == MPI_DATATYPE_NULL; }
  [[nodiscard]] static bool in_place(const void* address) noexcept { return address == MPI_IN_PLACE; }
  [[nodiscard]] static bool sound(MPI_Datatype type) noexcept {
    return known(type) || seen_predefined(type) || Derived(hold_any(type));
  }
  /// Asks about a type that is neither predefined nor seen committed by Heddle. Count and buffer
  /// are valid.
  [[nodiscard]] Done about(MPI_Datatype type, End end) const { return message(&somewhere_, 1, type, end); }
  [[nodiscard]] Done negative(End end) const { return message(&somewhere_, -1, MPI_BYTE, end); }
  [[nodiscard]] Done at_bottom(MPI_Datatype type, End end) const { return message(nullptr, 1, type, end); }
  [[nodiscard]] Done raised(Wrong wrong) const {
    return raise_new(wrong == Wrong::buffer ? MPI_ERR_BUFFER : MPI_ERR_ARG, comm_);
  }

 private:
  [[nodiscard]] Done message(const void* address, int count, MPI_Datatype type, End end) const {
    int result = MPI_SUCCESS;
    {
      const Quiet quiet(comm_);  // the handler must hear once: from raise_new()
      result = end == End::sent
                   ? PMPI_Send(address, count, type, MPI_PROC_NULL, 0, comm_)
                   : PMPI_Recv(const_cast<void*>(address), count, type, MPI_PROC_NULL, 0, comm_, MPI_STATUS_IGNORE);
    }
    return result == MPI_SUCCESS ? Done() : Done(raise_new(result, comm_));
  }

  inline static char somewhere_;
  MPI_Comm comm_;
};

/// True: a gather sends and receives the same elements, as MPICH sees it. Other collectives use
/// same_elements().
inline bool aliased(const Buffer& send, const VArgument& receive, int me) noexcept {
  if (send.type != receive.type || send.count == 0 || send.address == MPI_BOTTOM || receive.counts[me] == 0) return false;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  return PMPI_Type_get_extent(receive.type, &low, &extent) == MPI_SUCCESS &&
         send.address == displaced(receive.address, receive.displacements[me] * extent);
}

/// @param own  The shadow communicator, if it is there already: it knows how many blocks there are.
template <class Sent, class Received>
Done refused(const CollectivePattern& pattern, const Sent& send, const Received& receive, MPI_Comm comm,
             const ShadowComm* own) {
  const engine::argument_checks::Form form{pattern.neighbours, pattern.gathers};
  const Asked host(comm);
  int out = 0;
  int in = 0;
  int me = 0;
  if (own) {
    out = pattern.sends(*own);
    in = pattern.receives(*own);
    me = own->me();
  } else if (pattern.neighbours) {
    const mpi::Neighbours around(comm);
    if (!around.known()) return {};
    out = around.out();
    in = around.in();
  } else {
    const Peers peers(comm);
    if (!peers.known || peers.inter) return {};
    out = in = peers.ranks;
    me = own_rank(comm);
  }
  const bool in_place = !pattern.neighbours && (pattern.in_place || send.address == MPI_IN_PLACE);
  if (!in_place)
    if (const Done wrong = engine::argument_checks::in(send, out, End::sent, form, host)) return wrong;
  if (const Done wrong = engine::argument_checks::in(receive, in, End::received, form, host)) return wrong;
  if (in_place || pattern.neighbours || !traits().looks_at_addresses) return {};
  bool same = false;
  if constexpr (std::is_same_v<Sent, Received>)
    same = same_elements(send, receive);
  else
    same = aliased(send, receive, me);
  return same ? host.raised(Wrong::buffer) : Done();
}

}  // namespace heddle::mpi::argument_checks
