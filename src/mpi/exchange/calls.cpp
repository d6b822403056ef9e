// mpi/exchange/calls.cpp: carries out the blocking collectives, or leaves them to the host, by the
// choice of the engine.
//
// In MPI_Allgatherv, every rank knows all receive counts, and the bytes of each block are the same
// on all ranks. So all ranks choose the same schedule without a message
// (select/collective/decide.hpp). Calls that the host would carry out as well are left to it: see
// worth_gathering there.
#include "engine/collective/gathered.hpp"
#include "engine/collective/gathering.hpp"
#include "engine/exchange/choice.hpp"
#include "mpi/exchange/consistency_check.hpp"
#include "mpi/exchange/typed_blocks.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/element.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::mpi {
namespace {

using Gathered = engine::Gathered<MPI_Datatype, Element, MPI_Comm>;

engine::GatherChoice::Library library() noexcept { return {traits().gathers_by_sum, traits().slow_to_gather_little}; }

/// Bytes of a rank's block that may go in a bundle. A mistake of the program counts as none.
template <class Given>
Bytes bundled(const Given& given, int rank, blocks::Ruler& ruler, Bytes straight_from) noexcept {
  Buffer data;
  Bytes bytes = 0;
  return whole(given) && block_of(given, rank, ruler, data, bytes) && bytes < straight_from ? bytes : 0;
}

/// The choice for MPI_Alltoall, MPI_Alltoallv or MPI_Alltoallw.
/// @param each  Bytes of each block of MPI_Alltoall. 0: none, or a mistake.
template <class Given>
engine::Choice choice_of(ShadowComm& own, const Given& send, const Given& receive, Bytes each) {
  const Bytes straight_from = settings_of_process().router.straight_from();
  if constexpr (std::is_same_v<Given, Buffer>) {
    return engine::choice_of_equal_blocks(own.algorithms(), each, straight_from);
  } else {
    blocks::Ruler out;
    blocks::Ruler in;
    return engine::choice_of_volumes(
        own.algorithms(), engine::call_of_all(send), own.me(), [&]() -> const select::Topology& { return own.topology(); },
        [&](int to) { return bundled(send, to, out, straight_from); },
        [&](int from) { return bundled(receive, from, in, straight_from); });
  }
}

/// Gives the call to the library if that has turned out to be quicker, or is due to be timed.
void ask_trial(ShadowComm& own, engine::Choice& choice, TimedCall& timed) {
  if (choice.trial && own.library(*choice.trial, timed, choice.next)) choice.candidate = {};
}

}  // namespace

template <class Given>
Done exchange_all(const char* call, const Given& send, const Given& receive, MPI_Comm comm, TimedCall& timed) try {
  // Hosts themselves bundle short blocks of one size. No shadow communicator is made for these.
  constexpr bool equal_blocks = std::is_same_v<Given, Buffer>;
  Bytes each = 0;
  if constexpr (equal_blocks) each = blocks::bytes_of_each(receive);
  const bool asked = !equal_blocks || each >= engine::equal_blocks_from || settings_of_process().alltoallv != "auto";
  Done refused;
  ShadowComm* own = blocks::entered(patterns::all_blocking, send, receive, comm, asked, refused);
  if (!own) return refused;
  blocks::compare_first(*own, call);
  engine::Choice chosen = choice_of(*own, send, receive, each);
  ask_trial(*own, chosen, timed);
  const select::Candidate& choice = chosen.candidate;
  check_consistency(*own, {call, choice});
  if (!choice.algorithm) return {};
  Exchange exchange(*own, own->ranks(), own->ranks());
  if (!exchange) return no_memory_on(comm);
  if (!blocks::add_blocks(patterns::all_blocking, *own, send, receive, exchange)) return blocks::beyond_numbers(comm);
  if (choice.algorithm == &schedule::alltoallv_direct) return exchange.run(comm);
  return exchange.run_routed(comm, choice, own->topology().nodes);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

template Done exchange_all(const char*, const Buffer&, const Buffer&, MPI_Comm, TimedCall&);
template Done exchange_all(const char*, const VArgument&, const VArgument&, MPI_Comm, TimedCall&);
template Done exchange_all(const char*, const WArgument&, const WArgument&, MPI_Comm, TimedCall&);

// Apart from exchange_gather(): if other code has run meanwhile, the code and the stack of that
// function are cold.
bool gather_passes(const VArgument& receive, MPI_Comm comm, TimedCall& timed) noexcept {
  ShadowComm* const own = ShadowComm::made(comm);
  if (!own || settings_of_process().check) return false;
  const Bytes size = blocks::size_at_a_glance(receive.type);
  if (!engine::passes_gather(own->algorithms(), receive.counts, own->ranks(), size, library())) return false;
  timed.give_to_library();
  report::tell_of_algorithm({});
  return true;
}

Done exchange_gather(const Buffer& send, const VArgument& receive, MPI_Comm comm, TimedCall& timed) try {
  Done refused;
  ShadowComm* own = blocks::entered(patterns::gather_blocking, send, receive, comm, true, refused);
  if (!own) return refused;
  Gathered blocks(own->ranks(), own->me(), {MPI_ERR_NO_MEM, traits().truncates_gathered ? MPI_ERR_TRUNCATE : MPI_SUCCESS});
  if (!blocks) return no_memory_on(comm);
  if (!blocks.measure(send, receive, send.address == MPI_IN_PLACE)) return blocks::beyond_numbers(comm);
  const std::span starts(blocks.starts(), static_cast<std::size_t>(own->ranks()) + 1);
  const auto where = [own]() -> const select::Where& { return own->topology().where; };
  engine::Choice chosen = engine::choice_of_gather(own->algorithms(), starts, library(), where);
  ask_trial(*own, chosen, timed);
  const select::Candidate& choice = chosen.candidate;
  check_consistency(*own, {"MPI_Allgatherv", choice});
  if (!choice.algorithm) return {};
  if (const int error = blocks.begin(send, own->comm()); error != MPI_SUCCESS) return raise_new(error, comm);
  std::optional<schedule::Pieces> pieces;
  if (choice.segment > 0) pieces.emplace(own->ranks(), choice.segment, [&](schedule::Rank rank) { return blocks.bytes(rank); });
  const schedule::Place place{
      .ranks = own->ranks(), .radix = choice.radix, .nodes = &own->topology().nodes, .pieces = pieces ? &*pieces : nullptr};
  Channel channel(own->comm(), own->tag(tags::schedule), blocks.staged() ? Channel::Holds::packed : Channel::Holds::programs);
  engine::Gathering gathering({choice.algorithm, place}, own->me(), {blocks.memory(), blocks.starts()}, channel);
  gathering.advance(true);
  const int error = channel.error() != MPI_SUCCESS ? channel.error() : blocks.end(own->comm());
  if (error != MPI_SUCCESS) own->spoil();
  return raise_new(error, comm);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

}  // namespace heddle::mpi
