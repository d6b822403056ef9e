// mpi/exchange/typed_blocks.hpp: MPI's side of an exchange. It checks the arguments of a
// collective, measures each block once, and adds the blocks to an Exchange.
//
//   Exchange exchange(*own, pattern.sends(*own), pattern.receives(*own));
//   if (!blocks::add_blocks(pattern, *own, send, receive, exchange)) return blocks::beyond_numbers(comm);
#pragma once

#include <string_view>

#include "engine/exchange/blocks.hpp"
#include "engine/exchange/choice.hpp"
#include "engine/exchange/turns.hpp"
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

using Ruler = engine::Ruler<MPI_Datatype, look>;

/// True: Heddle carries out such a collective of the communicator. All ranks know this.
inline bool carries_out(const CollectivePattern& pattern, const ShadowComm& own) noexcept {
  switch (pattern.when) {
    case CollectivePattern::When::not_native:
      return own.algorithms().alltoallv() != "native";
    case CollectivePattern::When::neighbours_known:
      return own.has_neighbours();
    case CollectivePattern::When::one_node: {  // all of MPI_COMM_WORLD is on one node: all ranks know that alike
      const MpiNode* node = MpiNode::here();
      int ranks = 0;
      return node && PMPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS && node->size() == ranks;
    }
    case CollectivePattern::When::always:
      break;
  }
  return true;
}

/// Bytes of each block of MPI_Alltoall. 0: none, or a mistake.
inline Bytes bytes_of_each(const Buffer& data) noexcept {
  Ruler ruler;
  Measures type;
  Bytes bytes = 0;
  return data.count > 0 && ruler.measure(data.type, type) && !__builtin_mul_overflow(data.count, type.size, &bytes) ? bytes : 0;
}

/// True: by its arguments, the collective is Heddle's. All ranks find the same.
template <class Sent, class Received>
bool ours(const CollectivePattern& pattern, const Sent& send, const Received& receive) noexcept {
  if (pattern.neighbours || pattern.gathers) return true;
  if (send.address == MPI_IN_PLACE) return false;
  if constexpr (std::is_same_v<Received, Buffer>) return bytes_of_each(receive) >= engine::equal_blocks_from;
  return true;
}

/// True: MPI_Iallgatherv of all ranks has enough bytes to go pair by pair. The latency of messages
/// alone counts if there are fewer. All ranks find the same, because they know the same counts.
inline bool worth_gathering(const VArgument& receive, int ranks) noexcept {
  constexpr Bytes direct_from = 64 << 10;
  Bytes all = 0;
  return !engine::bytes_of_all<Ruler>(receive, ranks, all) || all >= direct_from;
}

template <class Received>
bool add_receives(const engine::Turns& from, int first, const Received& receive, Exchange& exchange) noexcept {
  Ruler ruler;
  Buffer data;
  Bytes bytes = 0;
  for (int turn = 0; turn < from.size(); ++turn) {
    if (!block_of(receive, from.block(turn), ruler, data, bytes)) return false;
    if (turn >= first) exchange.receive(from.edge(turn), data, bytes);
  }
  return true;
}

template <class Sent>
bool add_sends(const engine::Turns& to, int first, const Sent& send, Exchange& exchange) noexcept {
  Ruler ruler;
  Buffer data;
  Bytes bytes = 0;
  for (int turn = first; turn < to.size(); ++turn) {
    if (!block_of(send, to.block(turn), ruler, data, bytes)) return false;
    exchange.send(to.edge(turn), data, bytes);
  }
  return true;
}

/// Sends one block to every peer. If this rank sends nothing although the others expect bytes, the
/// program is wrong. But the others wait for a message, so they get the block `expected`.
template <class Received>
bool add_gathered(const engine::Turns& to, int first, const Buffer& send, const Received& receive, int expected,
                  Exchange& exchange) noexcept {
  Ruler ruler;
  Buffer data;
  Bytes bytes = 0;
  if (to.size() == 0) return true;
  if (first == 0 && !block_of(send, 0, ruler, data, bytes)) return false;
  if (bytes == 0 && expected >= 0) block_of(receive, expected, ruler, data, bytes);
  for (int turn = first; turn < to.size(); ++turn) exchange.send(to.edge(turn), data, bytes);
  return true;
}

/// Adds the blocks of both sides. In place, this rank's own block stays as it is, and the caller
/// still has to pack the sends aside. False: numbers that no buffer has.
template <class Sent, class Received>
bool add_blocks(const CollectivePattern& pattern, const ShadowComm& own, const Sent& send, const Received& receive,
                Exchange& exchange) noexcept {
  using engine::Turns;
  const bool all = !pattern.neighbours;
  const bool in_place = pattern.in_place || (all && pattern.gathers && send.address == MPI_IN_PLACE);
  const int first = in_place ? 1 : 0;  // turn 0 is the own block
  const Turns from = all ? Turns::down(own.me(), own.ranks()) : Turns::along(own.in());
  const Turns to = all ? Turns::up(own.me(), own.ranks()) : Turns::along(own.out());
  if (!add_receives(from, first, receive, exchange)) return false;
  if constexpr (std::is_same_v<Sent, Buffer>)
    if (pattern.gathers) return add_gathered(to, first, send, receive, all ? own.me() : -1, exchange);
  return add_sends(to, first, send, exchange);
}

/// The shadow communicator of a collective that Heddle carries out. All ranks decide alike, and a
/// rank leaves the collective only by an error. Null, with `refused`: that error. Null without it:
/// the collective is not for Heddle.
/// @param makes  The call may make the shadow communicator. False in a call that must not wait for
/// other ranks.
template <class Sent, class Received>
ShadowComm* entered(const CollectivePattern& pattern, const Sent& send, const Received& receive, MPI_Comm comm, bool makes,
                    Done& refused) {
  ShadowComm* own = ShadowComm::made(comm);
  if (own && revoked(comm)) return nullptr;
  if (own ? !carries_out(pattern, *own) : !makes || !ShadowComm::may_come(comm)) return nullptr;
  refused = argument_checks::refused(pattern, send, receive, comm, own);  // before any message to other ranks
  if (refused) {
    if (own) own->spoil();  // others may send what this rank does not receive
    return nullptr;
  }
  if (!own) own = ShadowComm::of(comm);
  return own && carries_out(pattern, *own) ? own : nullptr;
}

/// The counts or displacements fit no buffer. The other ranks wait, as for any rank that is lost.
inline Raised beyond_numbers(MPI_Comm comm) { return raise_new(MPI_ERR_COUNT, comm); }

/// With HEDDLE_CHECK, ranks that are in different calls must learn this before they exchange
/// anything else.
inline void compare_first(ShadowComm& own, const char* call) {
  if (own.knows_topology()) return;
  if (const auto comparison = Comparison::begun(own, {call, pair_by_pair()})) comparison->over(true);
}

/// Bytes of an element. 0: only a look at a long list, or the library, can tell.
inline Bytes size_at_a_glance(MPI_Datatype type) noexcept {
  const Entry* const entry = table.find(type);
  return !entry ? predefined(type).size : entry->known() ? entry->size() : 0;
}

/// True: exchange_all() would leave MPI_Alltoall to the library, because its blocks are short. All
/// ranks find the same.
inline bool passes_short(const Buffer& receive, MPI_Comm comm) noexcept {
  constexpr Bytes most = engine::equal_blocks_from - 1;
  const settings::Settings& set = settings_of_process();
  ShadowComm* const own = ShadowComm::made(comm);
  const std::string_view wanted = own ? own->algorithms().alltoallv() : set.alltoallv;
  if (set.check || wanted != "auto") return false;
  const Bytes size = size_at_a_glance(receive.type);
  if (size <= 0 || size > most || receive.count < 0 || receive.count > most / size) return false;
  report::tell_of_algorithm({});
  return true;
}
template <class Given>
bool passes_short(const Given& /*receive*/, MPI_Comm /*comm*/) noexcept {
  return false;
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
template <class Received>
bool goes_library(const CollectivePattern& pattern, ShadowComm& own, const char* call, const Received& receive,
                  TimedCall& timed) {
  if (!pattern.neighbours || !settings_of_process().trials) return false;
  compare_first(own, call);
  own.algorithms().stop();
  return own.library({.call = engine::call_of_neighbours(receive, pattern.gathers)}, timed,
                     engine::AlgorithmChoice::Next::passes);
}

/// Carries out a blocking call of that pattern. Nothing: not for Heddle, on all ranks alike.
/// @param timed  Lives until the end of the call.
template <class Sent, class Received>
Done carry_out(const CollectivePattern& pattern, const char* call, const Sent& send, const Received& receive, MPI_Comm comm,
               TimedCall& timed) try {
  if (pattern.neighbours && passes(comm, engine::call_of_neighbours(receive, pattern.gathers), timed)) return {};
  Done refused;
  ShadowComm* own = entered(pattern, send, receive, comm, true, refused);
  if (!own) return refused;
  if (goes_library(pattern, *own, call, receive, timed)) {
    check_consistency(*own, {call, {}, pattern.in_place});
    return {};
  }
  Exchange exchange(*own, pattern.sends(*own), pattern.receives(*own));
  if (!exchange) return no_memory_on(comm);
  check_consistency(*own, {call, pair_by_pair(), pattern.in_place});
  if (!add_blocks(pattern, *own, send, receive, exchange)) return beyond_numbers(comm);
  if (pattern.in_place && !exchange.send_from_aside()) return no_memory_on(comm);
  return exchange.run(comm, pattern.neighbours);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

}  // namespace heddle::mpi::blocks

namespace heddle::mpi {

/// Given: Buffer, VArgument or WArgument, the receive side. Nothing: not for Heddle, on all ranks
/// alike.
template <class Given>
Done exchange_in_place(const char* call, const Given& given, MPI_Comm comm) {
  if (!blocks::ours(patterns::in_place, given, given)) {
    if (ShadowComm* own = settings_of_process().check ? ShadowComm::made(comm) : nullptr)
      check_consistency(*own, {call, {}, true});
    return {};
  }
  TimedCall timed;  // never asked: nothing in place is tried
  return blocks::carry_out(patterns::in_place, call, given, given, comm, timed);
}

}  // namespace heddle::mpi
