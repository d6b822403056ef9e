// mpi/exchange/blocks.hpp: from the arguments of a collective to the blocks of an Exchange. Includes exchange.hpp, alike.hpp,
// mistakes.hpp, registry.hpp.
#pragma once

#include "mpi/collectives/sides.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/exchange.hpp"
#include "mpi/exchange/mistakes.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi::blocks {

/// Bytes a block of MPI_Alltoall, the same for all ranks, from which blocks go directly: shorter ones the hosts bundle.
constexpr Bytes direct_from = 4 << 10;

/// What a block's place and size depend on.
struct Measures {
  Bytes size = 0;
  Bytes extent = 0;
};

/// Of one type after the other, most often the same.
class Ruler {
 public:
  /// False: a type that the host refuses, or says nothing about.
  bool measure(MPI_Datatype type, Measures& measures) noexcept {
    if (!last_known_ || type != last_) {
      last_known_ = look(type);
      last_ = type;
    }
    measures = found_;
    return last_known_;
  }

 private:
  bool look(MPI_Datatype type) noexcept {
    if (Entry* entry = table.find(type); entry && entry->ready(type)) {
      found_ = {entry->size(), entry->extent()};
      return true;
    }
    MPI_Aint low = 0;
    MPI_Aint extent = 0;
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL) return false;  // to be raised on the call's own communicator
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0 || PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS)
      return false;
    found_ = {size, extent};
    return true;
  }

  MPI_Datatype last_{};
  bool last_known_ = false;
  Measures found_;
};

/// A block of an argument, and its bytes. Where there are no elements, type and place mean nothing. False: nothing that could
/// be sent (a negative count, a size beyond 64 bits).
inline bool block_of(const Buffer& given, int i, Ruler& ruler, Buffer& data, Bytes& bytes) noexcept {
  Measures type;
  Bytes stride = 0;
  Bytes offset = 0;
  if (given.count == 0) return bytes = 0, data = given, true;
  if (given.count < 0 || !ruler.measure(given.type, type) || __builtin_mul_overflow(given.count, type.size, &bytes) ||
      __builtin_mul_overflow(given.count, type.extent, &stride) || __builtin_mul_overflow(stride, i, &offset))
    return false;
  data = {displaced(given.address, offset), given.count, given.type};
  return true;
}

inline bool block_of(const VArgument& given, int i, Ruler& ruler, Buffer& data, Bytes& bytes) noexcept {
  Measures type;
  Bytes offset = 0;
  const Count count = given.counts[i];
  if (count == 0) return bytes = 0, data = {given.address, 0, given.type}, true;
  if (count < 0 || !ruler.measure(given.type, type) || __builtin_mul_overflow(count, type.size, &bytes) ||
      __builtin_mul_overflow(given.displacements[i], type.extent, &offset))
    return false;
  data = {displaced(given.address, offset), count, given.type};
  return true;
}

inline bool block_of(const WArgument& given, int i, Ruler& ruler, Buffer& data, Bytes& bytes) noexcept {
  Measures type;
  const Count count = given.counts[i];
  if (count == 0) return bytes = 0, data = {given.address, 0, given.types[i]}, true;
  if (count < 0 || !ruler.measure(given.types[i], type) || __builtin_mul_overflow(count, type.size, &bytes)) return false;
  data = {displaced(given.address, given.displacements[i]), count, given.types[i]};
  return true;
}

/// Blocks to and from every rank, in the order in which partners are due: rank me + k sends to us what we send to me - k, so
/// that no rank is everybody's first. False: numbers that no buffer has.
template <class Given>
bool to_all(const ShadowComm& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
  const int ranks = own.ranks();
  Ruler out;
  Ruler in;
  for (int k = 0; k < ranks; ++k) {
    const int to = (own.me() + k) % ranks;
    const int from = (own.me() + ranks - k) % ranks;
    Buffer data;
    Bytes bytes = 0;
    if (!block_of(receive, from, in, data, bytes)) return false;
    exchange.receive({from, 0}, data, bytes);
    if (!block_of(send, to, out, data, bytes)) return false;
    exchange.send({to, 0}, data, bytes);
  }
  return true;
}

/// Blocks to and from the neighbours, in the program's order.
template <class Given>
bool to_neighbours(const ShadowComm& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
  Ruler ruler;
  Buffer data;
  Bytes bytes = 0;
  for (std::size_t i = 0; i < own.in().size(); ++i) {
    if (!block_of(receive, static_cast<int>(i), ruler, data, bytes)) return false;
    exchange.receive(own.in()[i], data, bytes);
  }
  for (std::size_t i = 0; i < own.out().size(); ++i) {
    if (!block_of(send, static_cast<int>(i), ruler, data, bytes)) return false;
    exchange.send(own.out()[i], data, bytes);
  }
  return true;
}

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
  static bool of(const ShadowComm& own) noexcept { return own.wanted_alltoallv() != "native"; }
  template <class Given>
  static bool fill(const ShadowComm& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
    return to_all(own, send, receive, exchange);
  }
};

struct Neighbours : Edges {
  template <class Given>
  static bool fill(const ShadowComm& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
    return to_neighbours(own, send, receive, exchange);
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
    const int ranks = own.ranks();
    Ruler ruler;
    Buffer data;
    Bytes bytes = 0;
    Bytes all = 0;
    for (int i = 0; i < ranks; ++i)
      if (!block_of(given, i, ruler, data, bytes) || __builtin_add_overflow(all, bytes, &all)) return false;
    for (int k = 1; k < ranks; ++k) {  // in the order in which partners are due: to_all
      const int from = (own.me() + ranks - k) % ranks;
      const int to = (own.me() + k) % ranks;
      block_of(given, from, ruler, data, bytes);
      exchange.receive({from, 0}, data, bytes);
      block_of(given, to, ruler, data, bytes);
      exchange.send({to, 0}, data, bytes);
    }
    return true;
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
  if (!own || !own->passing().passes(call)) return false;
  timed.give_to_library();
  report::tell_of_algorithm({});
  return true;
}

/// Whether the library's way has turned out to be quicker for the neighbours, or is due to be timed; on all ranks alike.
template <class Kind, class Wanted>
bool goes_library(ShadowComm& own, const char* call, const Wanted& receive, TimedCall& timed) {
  if (!Kind::neighbours || !settings_of_process().trials) return false;
  compare_first(own, call);
  own.passing().stop();
  const TrialKind kind{.call = neighbours_call(receive, Kind::gathers)};
  if (!own.trials().library(kind, timed)) return false;
  own.pass_next(kind.call, false);
  return true;
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
