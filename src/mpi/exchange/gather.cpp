// mpi/exchange/gather.cpp
#include "mpi/exchange/gather.hpp"

#include <algorithm>

#include "engine/gathering.hpp"
#include "mpi/collectives/side.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/gathers.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/types/element.hpp"
#include "schedule/algorithms.hpp"
#include "select/collective/decide.hpp"
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

/// What is wanted, or what the volumes say. Null algorithm: the host's.
select::Way choose(ShadowComm& own, Gathered& blocks) {
  const std::string& wanted = own.wanted_allgatherv();
  const Bytes total = blocks.starts()[own.ranks()];
  const bool slow = traits().slow_to_gather_little;
  // What needs no look at the volumes first: they are added up and sorted, which takes longer than a small gather.
  if (wanted == "native" || total == 0 || (wanted == "auto" && total < select::worth_gathering(own.topology().where, slow)))
    return {};
  const select::Volumes& volumes = own.spread().of(own.ranks(), [&](schedule::Rank rank) { return blocks.bytes(rank); });
  return select::decide_allgatherv({own.topology().where, volumes, traits().gathers_by_sum, slow}, wanted).way;
}

/// The blocking MPI_Allgatherv; whether it is Heddle's is said by choose().
struct GatherOnce : blocks::Ranks {
  static constexpr bool gathers = true;
  static bool of(const ShadowComm& /*own*/) noexcept { return true; }
};

int raised(int error, MPI_Comm comm) {
  if (error != MPI_SUCCESS) communicators::raise(comm, error);
  return error;
}

}  // namespace

Done exchange_gather(const Buffer& send, const VArgument& receive, MPI_Comm comm) try {
  Done refused;
  ShadowComm* own = blocks::entered<GatherOnce>(send, receive, comm, true, refused);
  if (!own) return refused;
  Gathered blocks(own->ranks());
  if (!blocks) return no_memory_on(comm);
  if (!blocks.measure(send, receive, own->ranks(), own->me())) return blocks::beyond_numbers(comm);
  const select::Way way = choose(*own, blocks);
  alike(*own, {"MPI_Allgatherv", way});
  if (!way.algorithm) return {};
  if (const int error = blocks.begin(send, own->comm()); error != MPI_SUCCESS) return raised(error, comm);
  std::optional<schedule::Pieces> pieces;
  if (way.segment > 0) pieces.emplace(own->ranks(), way.segment, [&](schedule::Rank rank) { return blocks.bytes(rank); });
  const schedule::Place place{
      .ranks = own->ranks(), .radix = way.radix, .nodes = &own->topology().nodes, .pieces = pieces ? &*pieces : nullptr};
  Channel channel(own->comm(), tags::schedule);
  engine::Gathering gathering({way.algorithm, place}, own->me(), {blocks.memory(), blocks.starts()}, channel);
  gathering.advance(true);
  return raised(channel.error() != MPI_SUCCESS ? channel.error() : blocks.end(own->comm()), comm);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

}  // namespace heddle::mpi
