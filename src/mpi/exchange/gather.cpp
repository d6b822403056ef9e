// mpi/exchange/gather.cpp: MPI_Allgatherv by a schedule of Heddle's, chosen by how the volumes are spread.
//
// Every rank knows all receive counts, and the signature's bytes of a block are the same on all; so all choose alike without a
// word (select/collective/choose.hpp). What the host would do as well is left to it: see worth_gathering there.
#include <algorithm>

#include "engine/gathering.hpp"
#include "mpi/collectives/sides.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/blocks.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/types/element.hpp"
#include "schedule/algorithms.hpp"
#include "threads/pool.hpp"

namespace heddle::mpi {
namespace {

/// The blocks of all ranks in rank order: in the program's buffer, if they lie so there, or in a staging buffer.
class Gathered {
 public:
  /// False: numbers that no buffer has.
  bool measure(const Buffer& send, const VArgument& receive, int ranks, int me) noexcept {
    receive_ = &receive;
    ranks_ = ranks;
    me_ = me;
    in_place_ = send.address == MPI_IN_PLACE;
    if (type_.look(receive.type) != MPI_SUCCESS || (!in_place_ && sent_.look(send.type) != MPI_SUCCESS)) return false;
    const Bytes size = type_.measures().size;
    const Bytes extent = type_.measures().extent;
    for (int i = 0; i < ranks; ++i) {
      Bytes bytes = 0;
      if (receive.counts[i] < 0 || __builtin_mul_overflow(receive.counts[i], size, &bytes) ||
          __builtin_add_overflow(starts_[i], bytes, &starts_[i + 1]))
        return false;
      in_order_ = in_order_ && (bytes == 0 || receive.displacements[i] * extent == starts_[i] + shift(i));
    }
    // More than the others expect of this rank is a mistake: they get what they have room for.
    const Bytes item = in_place_ ? 0 : sent_.measures().size;
    fits_ = item > 0 ? std::min(send.count, bytes(me) / item) : 0;
    truncated_ = !in_place_ && item > 0 && fits_ < send.count;
    return true;
  }
  explicit Gathered(int ranks) noexcept : starts_(ranks + 1) {
    if (starts_) starts_[0] = 0;
  }
  explicit operator bool() const { return static_cast<bool>(starts_); }

  [[nodiscard]] Bytes bytes(int rank) { return starts_[rank + 1] - starts_[rank]; }
  [[nodiscard]] const Bytes* starts() { return starts_.get(); }
  [[nodiscard]] std::byte* memory() const { return memory_; }

  /// This rank's block in its place, from where the program has it. MPI_SUCCESS or an error code.
  int begin(const Buffer& send, MPI_Comm comm) noexcept {
    if (in_order_) memory_ = type_.dense(address(first_), starts_[ranks_] / type_.measures().size);
    staged_ = !memory_;
    if (staged_) {
      if (!staging_.reserve(starts_[ranks_])) return MPI_ERR_NO_MEM;
      memory_ = staging_.data();
    }
    std::byte* const mine = memory_ + starts_[me_];
    if (!in_place_) return sent_.pack(send.address, fits_, mine, comm);
    return staged_ ? type_.pack(address(me_), receive_->counts[me_], mine, comm) : MPI_SUCCESS;
  }
  /// To where the program wants it. MPI_SUCCESS or an error code.
  int end(MPI_Comm comm) noexcept {
    for (int i = 0; staged_ && i < ranks_; ++i) {
      if (bytes(i) == 0 || (i == me_ && in_place_)) continue;
      const int error = type_.unpack(memory_ + starts_[i], address(i), receive_->counts[i], comm);
      if (error != MPI_SUCCESS) return error;
    }
    return truncated_ && traits().truncates_gathered ? MPI_ERR_TRUNCATE : MPI_SUCCESS;  // as the hosts have it
  }

 private:
  [[nodiscard]] std::byte* address(int rank) const {
    return static_cast<std::byte*>(const_cast<void*>(receive_->address)) +
           receive_->displacements[rank] * type_.measures().extent;
  }
  /// By how far the blocks lie behind where they would if the first began at the buffer.
  [[nodiscard]] Bytes shift(int rank) noexcept {
    if (first_ < 0) {
      first_ = rank;
      shift_ = receive_->displacements[rank] * type_.measures().extent - starts_[rank];
    }
    return shift_;
  }

  const VArgument* receive_ = nullptr;
  Element type_, sent_;
  int ranks_ = 0;
  int me_ = 0;
  int first_ = -1;  // block that has bytes
  Bytes shift_ = 0;
  Count fits_ = 0;  // elements of what is sent
  bool truncated_ = false;
  bool in_order_ = true;
  bool in_place_ = false;
  bool staged_ = false;  // memory_ is the staging buffer
  std::byte* memory_ = nullptr;
  requests::Scratch<Bytes> starts_;
  threads::StagingBuffer staging_;
};

engine::GatherWays::Library library() noexcept { return {traits().gathers_by_sum, traits().slow_to_gather_little}; }

/// What is wanted, or what is quick: by the volumes, and by trial. Null algorithm: the host's.
select::Way choose(ShadowComm& own, Gathered& blocks, TimedCall& timed) {
  const std::string& wanted = own.wanted_allgatherv();
  engine::GatherWays& ways = own.gather_ways();
  const std::span starts(blocks.starts(), static_cast<std::size_t>(own.ranks()) + 1);
  const select::Way way = ways.of(starts, wanted, library(), [&own]() -> const select::Where& { return own.topology().where; });
  if (!way.algorithm || wanted != "auto" || !settings_of_process().trials) return way;
  own.passing().stop();
  return own.trials().library(ways.kind(), timed) ? select::Way{} : way;
}

/// What choose() would say of little, without a look at each block. No: it may do all the same.
bool is_little(const ShadowComm& own, const VArgument& receive) noexcept {
  if (settings_of_process().check || own.wanted_allgatherv() != "auto" || !receive.counts.array()) return false;
  if (library().where_counts(own.ranks())) return false;
  const Entry* const type = table.find(receive.type);
  const Bytes size = !type ? predefined(receive.type).size : type->known() ? type->size() : 0;
  Count all = 0;
  for (int i = 0; i < own.ranks(); ++i)
    if (receive.counts[i] < 0 || (all += receive.counts[i]) > select::worth_gathering_anywhere) return false;
  return size > 0 && all * size < select::worth_gathering_anywhere;
}

/// The blocking MPI_Allgatherv; whether it is Heddle's is said by choose().
struct GatherOnce : blocks::Ranks {
  static constexpr bool gathers = true;
};

}  // namespace

Done exchange_gather(const Buffer& send, const VArgument& receive, MPI_Comm comm, TimedCall& timed) try {
  if (const ShadowComm* own = ShadowComm::made(comm); own && is_little(*own, receive)) {
    report::tell_of_algorithm({});
    return {};
  }
  Done refused;
  ShadowComm* own = blocks::entered<GatherOnce>(send, receive, comm, true, refused);
  if (!own) return refused;
  Gathered blocks(own->ranks());
  if (!blocks) return no_memory_on(comm);
  if (!blocks.measure(send, receive, own->ranks(), own->me())) return blocks::beyond_numbers(comm);
  const select::Way way = choose(*own, blocks, timed);
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
