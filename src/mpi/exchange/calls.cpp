// mpi/exchange/calls.cpp: the blocking collectives.
//
// Of MPI_Allgatherv every rank knows all receive counts, and the signature's bytes of a block are the same on all; so all
// choose a schedule alike without a word (select/collective/decide.hpp). What the host would do as well is left to it: see
// worth_gathering there.
#include "engine/gathered.hpp"
#include "engine/gathering.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/blocks.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/element.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::mpi {
namespace {

using engine::Ways;

/// Bytes of a rank's block that may go in a bundle; a mistake of the program counts as none.
template <class Given>
class Bundled {
 public:
  explicit Bundled(const Given& given)
      : given_(given), whole_(whole(given)), limit_(settings_of_process().router.straight_from()) {}
  Bytes operator()(int rank) const noexcept {
    Buffer data;
    Bytes bytes = 0;
    return whole_ && blocks::block_of(given_, rank, ruler_, data, bytes) && bytes < limit_ ? bytes : 0;
  }

 private:
  const Given& given_;
  bool whole_;
  Bytes limit_;
  mutable blocks::Ruler ruler_;
};

constexpr TrialKind::Call call_of(const Buffer&) { return TrialKind::Call::alltoall; }
constexpr TrialKind::Call call_of(const VArgument&) { return TrialKind::Call::alltoallv; }
constexpr TrialKind::Call call_of(const WArgument&) { return TrialKind::Call::alltoallw; }

/// Heddle's way, unless the library's has turned out to be quicker, or is due to be timed.
select::Way tried(ShadowComm& own, const select::Way& way, const TrialKind& kind, TimedCall& timed, Ways::Next next) {
  return own.library(kind, timed, next) ? select::Way{} : way;
}

/// From what all ranks know. Null algorithm: the host's.
template <class Given>
select::Way way_of_all(ShadowComm& own, const Given& send, const Given& receive, TimedCall& timed) {
  constexpr bool equal_blocks = std::is_same_v<Given, Buffer>;
  const select::Way direct = pair_by_pair();
  own.ways().stop();
  const std::string& wanted = own.ways().alltoallv();
  if (wanted == "native") return {};
  if (wanted != "auto") {
    const schedule::Algorithm* algorithm = schedule::find(schedule::alltoallv(), wanted);
    if (equal_blocks && Bundled<Given>(receive)(0) == 0) return direct;
    return {.algorithm = algorithm};
  }
  if constexpr (equal_blocks) {
    if (!blocks::All::ours(send, receive)) return {};
    blocks::Ruler ruler;
    Buffer block;
    Bytes bytes = 0;
    blocks::block_of(receive, 0, ruler, block, bytes);
    return tried(own, direct, {.call = call_of(send), .volumes = select::magnitudes({bytes})}, timed, Ways::Next::asks);
  } else {
    engine::Agreement& agreement = own.ways().agreement();
    const select::Way& way = agreement.next(own.topology(), own.me(), Bundled<Given>(send), Bundled<Given>(receive));
    return tried(own, way, {call_of(send), agreement.volumes(), agreement.digest(), agreement.volumes() != 0}, timed,
                 Ways::Next::passes_agreed);
  }
}

using Gathered = engine::Gathered<MPI_Datatype, Element, MPI_Comm>;

engine::GatherWays::Library library() noexcept { return {traits().gathers_by_sum, traits().slow_to_gather_little}; }

/// What is wanted, or what is quick: by the volumes, and by trial. Null algorithm: the host's.
select::Way way_of_gather(ShadowComm& own, Gathered& blocks, TimedCall& timed) {
  const std::string& wanted = own.ways().allgatherv();
  engine::GatherWays& ways = own.ways().gathers();
  const std::span starts(blocks.starts(), static_cast<std::size_t>(own.ranks()) + 1);
  const select::Way way = ways.of(starts, wanted, library(), [&own]() -> const select::Where& { return own.topology().where; });
  if (!way.algorithm || wanted != "auto") return way;
  own.ways().stop();
  return tried(own, way, ways.kind(), timed, Ways::Next::asks);
}

/// What way_of_gather() would say of little, without a look at each block. No: it may do all the same.
bool is_little(const ShadowComm& own, const VArgument& receive) noexcept {
  if (settings_of_process().check || own.ways().allgatherv() != "auto" || !receive.counts.array()) return false;
  if (library().where_counts(own.ranks())) return false;
  const Entry* const type = table.find(receive.type);
  const Bytes size = !type ? predefined(receive.type).size : type->known() ? type->size() : 0;
  Count all = 0;
  for (int i = 0; i < own.ranks(); ++i)
    if (receive.counts[i] < 0 || (all += receive.counts[i]) > select::worth_gathering_anywhere) return false;
  return size > 0 && all * size < select::worth_gathering_anywhere;
}

/// The blocking MPI_Allgatherv; whether it is Heddle's is said by way_of_gather().
struct GatherOnce : blocks::Ranks {
  static constexpr bool gathers = true;
};

}  // namespace

template <class Given>
Done exchange_all(const char* call, const Given& send, const Given& receive, MPI_Comm comm, TimedCall& timed) try {
  if (send.address == MPI_IN_PLACE) return {};
  if (blocks::passes(comm, call_of(send), timed)) return {};
  // Short blocks of one size hosts bundle themselves: nothing is made for them.
  const bool asked = settings_of_process().alltoallv != "auto" || blocks::All::ours(send, receive);
  Done refused;
  ShadowComm* own = blocks::entered<blocks::Ranks>(send, receive, comm, asked, refused);  // but way_of_all() may say no
  if (!own) return refused;
  blocks::compare_first(*own, call);
  const select::Way way = way_of_all(*own, send, receive, timed);
  alike(*own, {call, way});
  if (!way.algorithm) return {};
  Exchange exchange(*own, own->ranks(), own->ranks());
  if (!exchange) return no_memory_on(comm);
  if (!blocks::All::fill(*own, send, receive, exchange)) return blocks::beyond_numbers(comm);
  if (way.algorithm == &schedule::alltoallv_direct) return exchange.run(comm);
  return exchange.run_routed(comm, way, own->topology().nodes);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

template Done exchange_all(const char*, const Buffer&, const Buffer&, MPI_Comm, TimedCall&);
template Done exchange_all(const char*, const VArgument&, const VArgument&, MPI_Comm, TimedCall&);
template Done exchange_all(const char*, const WArgument&, const WArgument&, MPI_Comm, TimedCall&);

Done exchange_gather(const Buffer& send, const VArgument& receive, MPI_Comm comm, TimedCall& timed) try {
  if (const ShadowComm* own = ShadowComm::made(comm); own && is_little(*own, receive)) {
    report::tell_of_algorithm({});
    return {};
  }
  Done refused;
  ShadowComm* own = blocks::entered<GatherOnce>(send, receive, comm, true, refused);
  if (!own) return refused;
  Gathered blocks(own->ranks(), own->me(), {MPI_ERR_NO_MEM, traits().truncates_gathered ? MPI_ERR_TRUNCATE : MPI_SUCCESS});
  if (!blocks) return no_memory_on(comm);
  if (!blocks.measure(send, receive, send.address == MPI_IN_PLACE)) return blocks::beyond_numbers(comm);
  const select::Way way = way_of_gather(*own, blocks, timed);
  alike(*own, {"MPI_Allgatherv", way});
  if (!way.algorithm) return {};
  if (const int error = blocks.begin(send, own->comm()); error != MPI_SUCCESS) return raise_new(error, MPI_SUCCESS, comm);
  std::optional<schedule::Pieces> pieces;
  if (way.segment > 0) pieces.emplace(own->ranks(), way.segment, [&](schedule::Rank rank) { return blocks.bytes(rank); });
  const schedule::Place place{
      .ranks = own->ranks(), .radix = way.radix, .nodes = &own->topology().nodes, .pieces = pieces ? &*pieces : nullptr};
  Channel channel(own->comm(), tags::schedule);
  engine::Gathering gathering({way.algorithm, place}, own->me(), {blocks.memory(), blocks.starts()}, channel);
  gathering.advance(true);
  return raise_new(channel.error() != MPI_SUCCESS ? channel.error() : blocks.end(own->comm()), MPI_SUCCESS, comm);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

}  // namespace heddle::mpi
