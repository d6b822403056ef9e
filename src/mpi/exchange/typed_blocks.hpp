// mpi/exchange/typed_blocks.hpp: from the arguments of a collective to the blocks of an Exchange
// (engine/exchange/kinds.hpp).
//
//   Exchange exchange(*own, GatherNeighbours::sends(*own), GatherNeighbours::receives(*own));
//   if (!GatherNeighbours::fill(*own, send, receive, exchange)) return {};      // Buffer -> Buffer, or Buffer -> VArgument
#pragma once

#include "engine/exchange/kinds.hpp"
#include "mpi/collectives/host_sides.hpp"
#include "mpi/exchange/collective_checks.hpp"
#include "mpi/exchange/consistency_check.hpp"
#include "mpi/exchange/mpi_exchange.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/faults.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi::blocks {

using engine::Measures;

/// False: a type that the host refuses, or says nothing about.
inline bool look(MPI_Datatype type, Measures& found) noexcept {
  Entry* const entry = table.find(type);
  if (const Entry* const decoded = entry ? entry->ready(type) : nullptr) {
    found = {decoded->size(), decoded->extent()};
    return true;
  }
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL) return false;  // the call raises it on its own communicator
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0 || PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS)
    return false;
  found = {size, extent};
  return true;
}

struct OfHost {
  using Ruler = engine::Ruler<MPI_Datatype, look>;
  static bool in_place(const void* address) noexcept { return address == MPI_IN_PLACE; }
  /// True: all of MPI_COMM_WORLD is on one node. All ranks know that alike.
  static bool one_node() noexcept {
    const Node* node = Node::here();
    int ranks = 0;
    return node && PMPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS && node->size() == ranks;
  }
};
using Kinds = engine::Kinds<OfHost>;
using All = Kinds::All;
using InPlace = Kinds::InPlace;
using Neighbours = Kinds::Neighbours;
using GatherNeighbours = Kinds::GatherNeighbours;
using GatherAll = Kinds::GatherAll;

/// The shadow communicator of a collective that Heddle carries out. All ranks decide alike, and a
/// rank leaves the collective only by an error. Null, with `refused`: that error. Null without it:
/// the collective is not for Heddle.
/// @param makes  The call may make the shadow communicator. False in a call that must not wait for
/// other ranks.
template <class Kind, class Given, class Wanted>
ShadowComm* entered(const Given& send, const Wanted& receive, MPI_Comm comm, bool makes, Done& refused) {
  ShadowComm* own = ShadowComm::made(comm);
  if (own && revoked(comm)) return nullptr;
  if (own ? !Kind::of(*own) : !makes || !ShadowComm::may_come(comm)) return nullptr;
  refused = mistakes::refused<Kind>(send, receive, comm, own);  // before any message to other ranks
  if (refused) {
    if (own) own->spoil();  // others may send what this rank does not receive
    return nullptr;
  }
  if (!own) own = ShadowComm::of(comm);
  return own && Kind::of(*own) ? own : nullptr;
}

/// The counts or displacements fit no buffer. The other ranks wait, as for any rank that is lost.
inline Raised beyond_numbers(MPI_Comm comm) { return raise_new(MPI_ERR_COUNT, comm); }

/// With HEDDLE_CHECK, ranks that are in different calls must learn this before they exchange
/// anything else.
inline void compare_first(ShadowComm& own, const char* call) {
  if (own.knows_topology()) return;
  if (const auto comparison = Comparison::begun(own, {call, pair_by_pair()})) comparison->over(true);
}

/// True: a blocking call is left to the library without a look at it.
inline bool passes(MPI_Comm comm, TrialKind::Call call, TimedCall& timed) noexcept {
  ShadowComm* const own = ShadowComm::made(comm);
  if (!own || !own->algorithms().passes(call)) return false;
  timed.give_to_library();
  report::tell_of_algorithm({});
  return true;
}

/// True: the library has turned out to be quicker for the neighbours, or is due to be timed. All
/// ranks find the same.
template <class Kind, class Wanted>
bool goes_library(ShadowComm& own, const char* call, const Wanted& receive, TimedCall& timed) {
  if (!Kind::neighbours || !settings_of_process().trials) return false;
  compare_first(own, call);
  own.algorithms().stop();
  return own.library({.call = engine::call_of_neighbours(receive, Kind::gathers)}, timed,
                     engine::AlgorithmChoice::Next::passes);
}

/// Carries out a blocking call of that kind. Nothing: not for Heddle, on all ranks alike.
/// @param timed  Lives until the end of the call.
template <class Kind, class Given, class Wanted>
Done carry_out(const char* call, const Given& send, const Wanted& receive, MPI_Comm comm, TimedCall& timed) try {
  if (Kind::neighbours && passes(comm, engine::call_of_neighbours(receive, Kind::gathers), timed)) return {};
  Done refused;
  ShadowComm* own = entered<Kind>(send, receive, comm, true, refused);
  if (!own) return refused;
  if (goes_library<Kind>(*own, call, receive, timed)) {
    alike(*own, {call, {}, Kind::in_place});
    return {};
  }
  Exchange exchange(*own, Kind::sends(*own), Kind::receives(*own));
  if (!exchange) return no_memory_on(comm);
  alike(*own, {call, pair_by_pair(), Kind::in_place});
  if (!Kind::fill(*own, send, receive, exchange)) return beyond_numbers(comm);
  if (Kind::in_place && !exchange.send_from_aside()) return no_memory_on(comm);
  return exchange.run(comm, Kind::neighbours);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

}  // namespace heddle::mpi::blocks

namespace heddle::mpi {

/// Given: Buffer, VArgument or WArgument, the receive side. Nothing: not for Heddle, on all ranks
/// alike.
template <class Given>
Done exchange_in_place(const char* call, const Given& given, MPI_Comm comm) {
  if (!blocks::InPlace::ours(given, given)) {
    if (ShadowComm* own = settings_of_process().check ? ShadowComm::made(comm) : nullptr) alike(*own, {call, {}, true});
    return {};
  }
  TimedCall timed;  // never asked: nothing in place is tried
  return blocks::carry_out<blocks::InPlace>(call, given, given, comm, timed);
}

}  // namespace heddle::mpi
