// mpi/exchange/blocks.hpp: from the arguments of a collective to the blocks of an Exchange (engine/exchange/blocks.hpp).
// Includes exchange.hpp, alike.hpp, mistakes.hpp, registry.hpp, node.hpp.
//
//   Exchange exchange(*own, GatherNeighbours::sends(*own), GatherNeighbours::receives(*own));
//   if (!GatherNeighbours::fill(*own, send, receive, exchange)) return {};      // Buffer -> Buffer, or Buffer -> VArgument
#pragma once

#include "engine/exchange/blocks.hpp"
#include "mpi/collectives/sides.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/exchange.hpp"
#include "mpi/exchange/mistakes.hpp"
#include "mpi/node/node.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi::blocks {

/// Bytes a block of MPI_Alltoall, the same for all ranks, from which blocks go directly: shorter ones the hosts bundle.
constexpr Bytes direct_from = 4 << 10;

using engine::block_of;
using engine::Measures;

/// False: a type that the host refuses, or says nothing about.
inline bool look(MPI_Datatype type, Measures& found) noexcept {
  if (Entry* entry = table.find(type); entry && entry->ready(type)) {
    found = {entry->size(), entry->extent()};
    return true;
  }
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL) return false;  // to be raised on the call's own communicator
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0 || PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS)
    return false;
  found = {size, extent};
  return true;
}
using Ruler = engine::Ruler<MPI_Datatype, look>;

/// Whom a collective is about: everybody, or the neighbours in a topology. By all ranks' knowledge it is Heddle's, unless
/// ours(arguments) or of(communicator) says otherwise.
struct Always {
  template <class Given, class Wanted>
  static bool ours(const Given& /*send*/, const Wanted& /*receive*/) noexcept {
    return true;
  }
  static bool of(const ShadowComm& /*own*/) noexcept { return true; }
};
struct Ranks : Always {
  static constexpr bool neighbours = false, gathers = false, in_place = false;
  static int sends(const ShadowComm& own) noexcept { return own.ranks(); }
  static int receives(const ShadowComm& own) noexcept { return own.ranks(); }
};
struct Edges : Always {
  static constexpr bool neighbours = true, gathers = false, in_place = false;
  static bool of(const ShadowComm& own) noexcept { return own.has_neighbours(); }
  static int sends(const ShadowComm& own) noexcept { return static_cast<int>(own.out().size()); }
  static int receives(const ShadowComm& own) noexcept { return static_cast<int>(own.in().size()); }
};

struct All : Ranks {
  template <class Given>
  static bool ours(const Given& send, const Given& receive) noexcept {
    if (send.address == MPI_IN_PLACE) return false;
    if constexpr (std::is_same_v<Given, Buffer>) {
      Ruler ruler;
      Measures type;
      Bytes bytes = 0;
      return receive.count > 0 && ruler.measure(receive.type, type) &&
             !__builtin_mul_overflow(receive.count, type.size, &bytes) && bytes >= direct_from;
    }
    return true;
  }
  static bool of(const ShadowComm& own) noexcept { return own.ways().alltoallv() != "native"; }
  template <class Given>
  static bool fill(const ShadowComm& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
    return engine::to_all<Ruler>(own.me(), own.ranks(), send, receive, exchange);
  }
};

struct Neighbours : Edges {
  template <class Given>
  static bool fill(const ShadowComm& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
    return engine::to_neighbours<Ruler>(own.out(), own.in(), send, receive, exchange);
  }
};

/// With MPI_IN_PLACE. This rank's own block stays as it is.
struct InPlace : Ranks {
  static constexpr bool in_place = true;

  template <class Given>
  static bool ours(const Given& given, const Given& /*the same*/) noexcept {
    return All::ours(given, given);
  }
  static bool of(const ShadowComm& own) noexcept { return All::of(own); }
  /// The sends are still to be packed aside.
  template <class Given>
  static bool fill(const ShadowComm& own, const Given& given, const Given& /*the same*/, Exchange& exchange) noexcept {
    return engine::to_all_in_place<Ruler>(own.me(), own.ranks(), given, exchange);
  }
};

/// MPI_Neighbor_allgather, MPI_Neighbor_allgatherv: each edge out takes the same block.
struct GatherNeighbours : Edges {
  static constexpr bool gathers = true;
  template <class Given>
  static bool fill(const ShadowComm& own, const Buffer& send, const Given& receive, Exchange& exchange) noexcept {
    return engine::gather_to_neighbours<Ruler>(own.out(), own.in(), send, receive, exchange);
  }
};

/// MPI_Iallgatherv and MPI_Allgatherv_init on one node, where a block that is announced is fetched from the sender's memory by
/// each receiver for itself. All messages can be posted at once, which is what a non-blocking call needs: a schedule in which
/// ranks hand on what has come to them would stand still while the program is in a call of the host's, and others may be
/// waiting for it there.
struct GatherAll : Ranks {
  static constexpr bool gathers = true;
  /// Bytes of all blocks: below, messages' latencies are all there is.
  static constexpr Bytes direct_from = 64 << 10;

  /// All of MPI_COMM_WORLD on one node: all ranks know that alike.
  static bool of(const ShadowComm& /*own*/) noexcept {
    const Node* node = Node::here();
    int ranks = 0;
    return node && PMPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS && node->size() == ranks;
  }
  /// On all ranks alike: they know the same counts.
  static bool worth(const ShadowComm& own, const Buffer& /*send*/, const VArgument& receive) noexcept {
    Bytes all = 0;
    return !engine::bytes_of_all<Ruler>(receive, own.ranks(), all) || all >= direct_from;
  }
  static bool fill(const ShadowComm& own, const Buffer& send, const VArgument& receive, Exchange& exchange) noexcept {
    return engine::gather_to_all<Ruler>(own.me(), own.ranks(), send.address == MPI_IN_PLACE, send, receive, exchange);
  }
};

/// The shadow communicator of a collective that is Heddle's, on all ranks alike, which none leaves but by an error. Null, and
/// `refused`: that error; null without: not for Heddle. @param makes  Whether it may be made: not in a call that must not wait
/// for other ranks.
template <class Kind, class Given, class Wanted>
ShadowComm* entered(const Given& send, const Wanted& receive, MPI_Comm comm, bool makes, Done& refused) {
  ShadowComm* own = ShadowComm::made(comm);
  if (own ? !Kind::of(*own) : !makes || !ShadowComm::may_come(comm)) return nullptr;
  refused = mistakes::refused<Kind>(send, receive, comm, own);  // before a word to other ranks
  if (refused) return nullptr;
  if (!own) own = ShadowComm::of(comm);
  return own && Kind::of(*own) ? own : nullptr;
}

/// Numbers that no buffer has. The others wait, as they do for any rank that is lost.
inline int beyond_numbers(MPI_Comm comm) { return raise_new(MPI_ERR_COUNT, MPI_SUCCESS, comm); }

constexpr TrialKind::Call neighbours_call(const Buffer& /*receive*/, bool gathers) {
  return gathers ? TrialKind::Call::neighbor_allgather : TrialKind::Call::neighbor_alltoall;
}
constexpr TrialKind::Call neighbours_call(const VArgument& /*receive*/, bool gathers) {
  return gathers ? TrialKind::Call::neighbor_allgatherv : TrialKind::Call::neighbor_alltoallv;
}
constexpr TrialKind::Call neighbours_call(const WArgument& /*receive*/, bool /*gathers*/) {
  return TrialKind::Call::neighbor_alltoallw;
}

/// With HEDDLE_CHECK: ranks that are not in the same call must hear of it before they talk of anything else.
inline void compare_first(ShadowComm& own, const char* call) {
  if (own.knows_topology()) return;
  if (const auto comparison = Comparison::begun(own, {call, pair_by_pair()})) comparison->over(true);
}

/// Whether a blocking call goes the library's way without a look at it.
inline bool passes(MPI_Comm comm, TrialKind::Call call, TimedCall& timed) noexcept {
  ShadowComm* const own = ShadowComm::made(comm);
  if (!own || !own->ways().passes(call)) return false;
  timed.give_to_library();
  report::tell_of_algorithm({});
  return true;
}

/// Whether the library's way has turned out to be quicker for the neighbours, or is due to be timed; on all ranks alike.
template <class Kind, class Wanted>
bool goes_library(ShadowComm& own, const char* call, const Wanted& receive, TimedCall& timed) {
  if (!Kind::neighbours || !settings_of_process().trials) return false;
  compare_first(own, call);
  own.ways().stop();
  return own.library({.call = neighbours_call(receive, Kind::gathers)}, timed, engine::Ways::Next::passes);
}

/// The blocking call of such a kind. Nothing: not for Heddle, on all ranks alike.
/// @param timed  Until the end of the call.
template <class Kind, class Given, class Wanted>
Done carry_out(const char* call, const Given& send, const Wanted& receive, MPI_Comm comm, TimedCall& timed) try {
  if (Kind::neighbours && passes(comm, neighbours_call(receive, Kind::gathers), timed)) return {};
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

/// Given: Buffer, VArgument or WArgument, the receive side. Nothing: not for Heddle, on all ranks alike.
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
