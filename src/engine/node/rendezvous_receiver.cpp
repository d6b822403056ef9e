// engine/node/rendezvous_receiver.cpp: segment by segment, unpacked or taken.
#include "engine/node/rendezvous_receiver.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "engine/base/footprint.hpp"
#include "engine/base/wait.hpp"
#include "engine/node/pull.hpp"
#include "layout/lap.hpp"
#include "layout/pack.hpp"

namespace heddle::engine {
namespace {

/// An address in the sender. It is never followed here, only handed to the kernel.
const std::byte* address(std::uint64_t in_sender) {
  return reinterpret_cast<const std::byte*>(in_sender);  // NOLINT(performance-no-int-to-ptr)
}

/// No buffer is larger; sums of two such numbers do not overflow.
constexpr Bytes farthest = Bytes{1} << 61;

/// One message on its way in.
class Incoming {
 public:
  Incoming(const Descriptor& descriptor, const Reach& reach, const Target& target)
      : descriptor_(descriptor),
        reach_(reach),
        target_(target),
        cells_(reinterpret_cast<Control*>(reach.memory + descriptor.control)->cells),
        segments_(descriptor.segments()),
        capacity_(target.count * target.layout->size()),
        pulls_(descriptor.pullable && (reach.own || (reach.known && (reach.transports || reach.copier)))),
        portion_(descriptor.scheme == Scheme::p_rrs
                     ? 0
                     : layout::portion(layout::lap(*target.layout, target.count), descriptor.total, descriptor.segment,
                                       ScratchBuffers::portion_bytes)) {}

  Bytes receive() {
    // Works from the front: unpacks packed cells, takes open ones. If both sides work on the front,
    // this side goes on at the back. It never looks again at a cell that is done, because the
    // control block may then belong to another message.
    Count back = segments_;
    for (Count i = 0; i < back; ++i) {
      const bool both = descriptor_.scheme == Scheme::both;
      while (both && back - 1 > i && state(i) != State::packed) {
        if (take(back - 1) || finish(back - 1))
          --back;
        else
          await(i, back - 1);
      }
      while (!finish(i) && !take(i)) await(i);
    }
    put();
    if (scratch_) reach_.scratch_pool->give(scratch_);
    return damaged_ ? damaged : std::min(descriptor_.total, capacity_);
  }

 private:
  [[nodiscard]] State state(Count i) const { return cells_[i].state.load(std::memory_order_acquire); }
  [[nodiscard]] Bytes length(Count i) const {
    return std::clamp(capacity_ - i * descriptor_.segment, Bytes{0}, descriptor_.segment_length(i));
  }

  /// True: there is work with a cell. It is packed, or open and may be taken, or in an impossible
  /// state.
  [[nodiscard]] bool ready(Count i) const {
    const State now = state(i);
    return now == State::open ? pulls_ : now != State::packing;
  }
  /// Waits until there is work with one of two cells.
  void await(Count i, Count other) {
    const report::Stopwatch watch(reach_.times, &report::Times::wait);
    wait_until([this, i, other] { return ready(i) || ready(other); }, reach_.crowded);
  }
  void await(Count i) { await(i, i); }

  /// Unpacks a cell if it is packed. False: not yet. A cell in an impossible state is left as it
  /// is, and the message is damaged.
  bool finish(Count i) {
    const State now = state(i);
    if (now == State::open || now == State::packing) return false;
    if (now == State::packed)
      unpack(i);
    else
      damaged_ = true;
    return true;
  }

  void unpack(Count i) {
    const report::Stopwatch watch(reach_.times, &report::Times::copy);
    const Bytes place = Bytes{cells_[i].place} * line_bytes;
    const Bytes from = i * descriptor_.segment;
    if (!reach_.open(place + descriptor_.segment_length(i)))
      damaged_ = true;
    else if (portion_ > 0 && length(i) > 0 && scratch())
      shelve(from, length(i), reach_.memory + place);
    else if (length(i) > 0 &&
             !(descriptor_.scheme == Scheme::p_rrs && reach_.copier && scratch() &&
               scatter(reach_.copier, address(descriptor_.memory) + place, target_, from, length(i), *scratch())))
      layout::unpack_range(*target_.layout, target_.count, target_.base, from, length(i), reach_.memory + place);
    cells_[i].state.store(State::done, std::memory_order_release);
  }

  /// Collects segments of a transpose, to put several in place as one: a segment has only one or
  /// two elements of each target line.
  void shelve(Bytes from, Bytes length, const std::byte* packed) {
    if (from != gathered_from_ + gathered_ || gathered_ + length > portion_) {
      put();
      gathered_from_ = from;
    }
    std::memcpy(scratch()->portion_buffer.data() + gathered_, packed, static_cast<std::size_t>(length));
    gathered_ += length;
  }
  void put() {
    if (gathered_ > 0)
      layout::unpack_range(*target_.layout, target_.count, target_.base, gathered_from_, gathered_,
                           scratch()->portion_buffer.data());
    gathered_ = 0;
  }
  /// Null: no memory for one.
  ScratchBuffers* scratch() {
    if (!scratch_ && reach_.scratch_pool) scratch_ = reach_.scratch_pool->take();
    return scratch_;
  }

  /// True: taken and moved. A cell that cannot be moved is given back, and no other is tried.
  bool take(Count i) {
    if (!pulls_ || !claim(cells_[i], State::taken)) return false;
    const report::Stopwatch watch(reach_.times, &report::Times::copy);
    if (reach_.own) {
      damaged_ |= !move_own(i);
      cells_[i].state.store(State::done, std::memory_order_release);
      return true;
    }
    pulls_ = (layout_ || look_up()) && scratch() &&
             pull(descriptor_.scheme, {layout_.get(), descriptor_.count, address(descriptor_.address), mapped_, reach_.copier},
                  target_, i * descriptor_.segment, length(i), *scratch());
    cells_[i].state.store(pulls_ ? State::done : State::open, std::memory_order_release);
    return pulls_;
  }

  /// Finds the layout of the sender's buffer, and the place where it is mapped. Only with a claim
  /// in hand: otherwise the sender may be gone.
  bool look_up() {
    layout_ = reach_.known->find(descriptor_, reach_.memory);
    Bytes total = 0;
    Bytes span = 0;
    if (!layout_ || __builtin_mul_overflow(layout_->size(), descriptor_.count, &total) || total != descriptor_.total ||
        __builtin_mul_overflow(layout_->extent(), descriptor_.count, &span) || span > farthest || span < -farthest)
      return false;
    const bool maps = descriptor_.scheme == Scheme::direct || descriptor_.scheme == Scheme::both;
    if (maps && reach_.transports && (descriptor_.region_version || descriptor_.attachable)) {
      const Footprint touched = footprint_of(*layout_, descriptor_.count);
      buffer_ = reach_.transports->map(
          {.peer = static_cast<int>(descriptor_.sender),
           .address = descriptor_.attachable ? address(descriptor_.address + static_cast<std::uint64_t>(touched.low)) : nullptr,
           .bytes = touched.bytes(),
           .place = descriptor_.place()});
      if (buffer_.address()) mapped_ = buffer_.address() - touched.low;
    }
    return mapped_ || reach_.copier;
  }

  /// The sender is this process, which knows its layout and its buffer. Nobody else could pack a
  /// cell that is given back, so this needs no memory. False: forged.
  bool move_own(Count i) {
    if (!source_) source_ = reach_.own->source_of(descriptor_);
    if (!source_ || source_->count * source_->layout->size() != descriptor_.total) return false;
    const Remote remote{source_->layout, source_->count, nullptr, static_cast<const std::byte*>(source_->base), {}};
    std::array<std::byte, 2048> few;
    std::span<std::byte> stage = few;
    if (ScratchBuffers* const found = scratch()) stage = found->stage;
    const Bytes bytes = length(i);
    if (bytes > 0) move_here(remote, target_, i * descriptor_.segment, bytes, stage);
    return true;
  }

  const Descriptor& descriptor_;
  const Reach& reach_;
  const Target& target_;
  Cell* cells_;
  Count segments_;
  Bytes capacity_;
  bool pulls_;
  Bytes portion_;  // bytes of a transpose that are put in place at once; 0: each segment by itself
  ScratchBuffers* scratch_ = nullptr;
  Bytes gathered_from_ = 0;
  Bytes gathered_ = 0;
  bool damaged_ = false;
  const Source* source_ = nullptr;                // of this process, while it has a claim; null: not looked up
  std::shared_ptr<const layout::Layout> layout_;  // the sender's
  transport::MappedBuffer buffer_;                // until the end of the message
  const std::byte* mapped_ = nullptr;             // the sender's buffer argument, as if all of it were mapped here
};

}  // namespace

bool stale(const Descriptor& descriptor, const Reach& reach) noexcept {
  auto& control = *reinterpret_cast<Control*>(reach.memory + descriptor.control);
  const bool looks = reach.distances && descriptor.total >= Distances::worthwhile;
  const std::uint64_t generation = looks ? reach.distances->fetch(static_cast<int>(descriptor.sender), control)
                                         : control.generation.load(std::memory_order_acquire);
  return generation != descriptor.generation;
}

bool drain(std::uint64_t control, std::byte* memory, Bytes memory_size, bool crowded) noexcept {
  Control* const block = control_at(control, memory, memory_size);
  if (!block) return false;
  const Count segments = block->segments;
  for (Count i = 0; i < segments; ++i) {
    Cell& cell = block->cells[i];
    if (claim(cell, State::taken)) {
      cell.state.store(State::done, std::memory_order_release);
      continue;
    }
    wait_until([&cell] { return cell.state.load(std::memory_order_acquire) != State::packing; }, crowded);
    if (cell.state.load(std::memory_order_acquire) == State::packed) cell.state.store(State::done, std::memory_order_release);
  }
  return true;
}

Bytes receive(const Descriptor& descriptor, const Reach& reach, const Target& target) noexcept {
  return Incoming(descriptor, reach, target).receive();
}

}  // namespace heddle::engine
