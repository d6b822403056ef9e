// mpi/exchange/gather.cpp
#include "mpi/exchange/gather.hpp"

#include "engine/gathering.hpp"
#include "layout/pack.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/gathers.hpp"
#include "mpi/memory/pool.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/staging/side.hpp"
#include "mpi/start.hpp"
#include "mpi/types/registry.hpp"
#include "schedule/algorithms.hpp"
#include "select/collective/choose.hpp"

namespace heddle::mpi {
namespace {

/// The blocks of all ranks in rank order: in the program's buffer, if they lie so there, or in a stand-in.
class Gathered {
 public:
  /// False: a mistake of the program, for the host to report.
  bool measure(const Buffer& send, const Spread& receive, int ranks, int me) noexcept {
    receive_ = &receive;
    ranks_ = ranks;
    me_ = me;
    in_place_ = send.address == MPI_IN_PLACE;
    type_ = Derived(hold_any(receive.type));
    if (!in_place_) sent_ = Derived(hold_any(send.type));
    if (!type_ || (!in_place_ && !sent_) || same_elements(send, receive) || !receive.counts.array() ||
        !receive.displacements.array())
      return false;
    for (int i = 0; i < ranks; ++i) {
      Bytes bytes = 0;
      if (receive.counts[i] < 0 || __builtin_mul_overflow(receive.counts[i], type_->size(), &bytes) ||
          __builtin_add_overflow(starts_[i], bytes, &starts_[i + 1]))
        return false;
      in_order_ = in_order_ && (bytes == 0 || receive.displacements[i] * type_->extent() == starts_[i] + shift(i));
    }
    Bytes given = 0;
    return in_place_ || (!__builtin_mul_overflow(send.count, sent_->size(), &given) && given == bytes(me));
  }
  explicit Gathered(int ranks) noexcept : starts_(ranks + 1) {
    if (starts_) starts_[0] = 0;
  }
  explicit operator bool() const { return static_cast<bool>(starts_); }

  [[nodiscard]] Bytes bytes(int rank) { return starts_[rank + 1] - starts_[rank]; }
  [[nodiscard]] const Bytes* starts() { return starts_.get(); }
  [[nodiscard]] std::byte* memory() const { return memory_; }

  /// This rank's block in its place, from where the program has it. False: no memory.
  bool begin(const Buffer& send) noexcept {
    if (in_order_ && type_->layout().dense())
      memory_ = address(first_) + type_->first_byte() - starts_[first_];
    else if (stand_in_.reserve(starts_[ranks_]))
      memory_ = stand_in_.data();
    else
      return false;
    const bool staged = memory_ == stand_in_.data();
    if (in_place_) {
      if (staged) layout::pack(type_->layout(), receive_->counts[me_], address(me_), memory_ + starts_[me_]);
    } else {
      layout::pack(sent_->layout(), send.count, send.address, memory_ + starts_[me_]);
    }
    return true;
  }
  /// To where the program wants it.
  void end() noexcept {
    if (memory_ != stand_in_.data()) return;
    for (int i = 0; i < ranks_; ++i)
      if (bytes(i) > 0 && (i != me_ || !in_place_))
        layout::unpack(type_->layout(), receive_->counts[i], address(i), memory_ + starts_[i]);
  }

 private:
  [[nodiscard]] std::byte* address(int rank) const {
    return static_cast<std::byte*>(const_cast<void*>(receive_->address)) + receive_->displacements[rank] * type_->extent();
  }
  /// By how far the blocks lie behind where they would if the first began at the buffer.
  [[nodiscard]] Bytes shift(int rank) noexcept {
    if (first_ < 0) {
      first_ = rank;
      shift_ = receive_->displacements[rank] * type_->extent() - starts_[rank];
    }
    return shift_;
  }

  const Spread* receive_ = nullptr;
  Derived type_, sent_;
  int ranks_ = 0;
  int me_ = 0;
  int first_ = -1;  // block that has bytes
  Bytes shift_ = 0;
  bool in_order_ = true;
  bool in_place_ = false;
  std::byte* memory_ = nullptr;
  requests::Scratch<Bytes> starts_;
  Bounce stand_in_;
};

/// Bytes of all blocks. Below, a few messages' latencies are all there is, and hosts do not choose badly.
constexpr Bytes worth_choosing = 4 << 10;

/// What is wanted, or what the volumes say. Null algorithm: the host's.
select::Way choose(const select::AllgathervFacts& facts, const std::string& wanted) {
  if (wanted == "native" || (wanted == "auto" && facts.volumes.total < worth_choosing)) return {};
  select::Way way = select::choose_allgatherv(facts);
  if (wanted == "auto") return way;
  way.algorithm = schedule::find(schedule::allgatherv(), wanted);
  constexpr Bytes usual_segment = 32 << 10;
  way.segment = way.algorithm == &schedule::allgatherv_pipelined_ring ? usual_segment : 0;
  return way;
}

template <class Given>
Done to_neighbours(const Buffer& send, const Given& receive, MPI_Comm comm) noexcept {
  using Kind = blocks::GatherNeighbours;
  const Companion* own = Companion::of(comm);
  if (!own || !Kind::of(*own)) return {};
  Exchange exchange(*own, Kind::sends(*own), Kind::receives(*own));
  if (!exchange) return no_memory_on(comm);
  if (!Kind::fill(*own, send, receive, exchange)) return {};
  return exchange.run(comm);
}

}  // namespace

Done gather_neighbours(const Buffer& send, const Buffer& receive, MPI_Comm comm) noexcept {
  return to_neighbours(send, receive, comm);
}
Done gather_neighbours(const Buffer& send, const Spread& receive, MPI_Comm comm) noexcept {
  return to_neighbours(send, receive, comm);
}

Done exchange_gather(const Buffer& send, const Spread& receive, MPI_Comm comm) noexcept try {
  Companion* own = Companion::of(comm);
  if (!own) return {};
  Gathered blocks(own->ranks());
  if (!blocks) return no_memory_on(comm);
  if (!blocks.measure(send, receive, own->ranks(), own->me()) || blocks.starts()[own->ranks()] == 0) {
    alike(*own, "MPI_Allgatherv", {});
    return {};
  }
  const Surroundings& around = own->surroundings();
  const select::Volumes& volumes = own->spread().of(own->ranks(), [&](schedule::Rank rank) { return blocks.bytes(rank); });
  const select::Way way = choose({around.where, volumes}, own->wanted_allgatherv());
  alike(*own, "MPI_Allgatherv", way);
  if (!way.algorithm) return {};
  if (!blocks.begin(send)) return no_memory_on(comm);
  std::optional<schedule::Pieces> pieces;
  if (way.segment > 0) pieces.emplace(own->ranks(), way.segment, [&](schedule::Rank rank) { return blocks.bytes(rank); });
  const schedule::Place place{
      .ranks = own->ranks(), .radix = way.radix, .nodes = &around.nodes, .pieces = pieces ? &*pieces : nullptr};
  Channel& channel = own->channel();
  engine::Gathering gathering({way.algorithm, place}, own->me(), {blocks.memory(), blocks.starts()}, channel);
  gathering.advance(true);
  if (channel.error() != MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(comm, channel.error());
    return channel.error();
  }
  blocks.end();
  return MPI_SUCCESS;
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

}  // namespace heddle::mpi
