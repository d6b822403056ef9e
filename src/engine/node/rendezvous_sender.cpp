// engine/node/rendezvous_sender.cpp: the sender's side of a message.
#include "engine/node/rendezvous_sender.hpp"

#include <algorithm>
#include <new>

#include "engine/base/wait.hpp"
#include "layout/lap.hpp"
#include "layout/pack.hpp"
#include "layout/pack_away.hpp"

namespace heddle::engine {
namespace {

constexpr std::size_t some = 4;  // messages looked at for every new one: enough to keep up, few enough not to be felt

}  // namespace

Outgoing* RendezvousSender::begin(const Source& source, const Plan& plan, Descriptor& descriptor) noexcept {
  const Bytes total = source.count * source.layout->size();
  const Count segments = (total - 1) / plan.segment + 1;
  if (total <= 0 || segments > Arena::most_segments) return nullptr;
  const Count slots = total <= Arena::most_piece ? 0 : (total + slot_bytes - 1) / slot_bytes;

  const Bytes portion =
      layout::portion(layout::lap(*source.layout, source.count), total, plan.segment, ScratchBuffers::portion_bytes);
  Outgoing* message = nullptr;
  {
    const std::lock_guard guard(lock_);
    look_at_some();
    if (unused_.empty() && !make_one()) return nullptr;
    std::byte* piece = nullptr;
    const auto room = [&] {
      if (slots > 0) return arena_.reserve(slots);
      piece = arena_.take_piece(total);
      return piece != nullptr;
    };
    if (!room()) {
      for (std::size_t i = left_.size(); i-- > 0;) finish_if_drained(i);
      if (!room()) return nullptr;
    }
    const auto give_up = [&] {
      if (piece)
        arena_.give_piece(piece);
      else
        arena_.unreserve(slots);
      return nullptr;
    };
    Control* control = arena_.take_control(segments);
    if (!control) return give_up();
    const int code = lengths_.take(total, plan.tag, plan.comm, plan.probed);
    if (code == LengthBook::refused) {
      control->segments = static_cast<std::uint32_t>(segments);
      arena_.give_control(control);
      return give_up();
    }
    message = unused_.back();
    unused_.pop_back();
    *message = {.source = source,
                .control = control,
                .generation = ++generation_,
                .entry = message->entry,
                .total = total,
                .segment = plan.segment,
                .segments = segments,
                .per_slot = slot_bytes / plan.segment,
                .reserved = slots,
                .piece = piece,
                .slot = piece,
                .slot_number = piece ? 0 : -1,
                .grace_ns = plan.pullable && plan.scheme != Scheme::both ? plan.grace_ns : 0,
                .code = code,
                .receiver = plan.receiver,
                .stores = plan.stores,
                .portion = std::max(Count{1}, portion / plan.segment)};
    control->generation.store(generation_, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // it is visible before the cells change (unclaimed.hpp)
  }

  Control& control = *message->control;
  control.segments = static_cast<std::uint32_t>(segments);
  control.tag = plan.tag;
  if (plan.receiver >= 0) message->asked = shared_.distances.ask(plan.receiver, control);
  for (Count i = 0; i < segments; ++i) {
    control.cells[i].place = 0;
    control.cells[i].state.store(State::open, std::memory_order_release);
  }
  descriptor = {.nonce = nonce_,
                .sender = me_,
                .scheme = plan.scheme,
                .pullable = plan.pullable,
                .attachable = static_cast<std::uint8_t>(plan.attachable),
                .control = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&control) - arena_.base()),
                .generation = control.generation.load(std::memory_order_relaxed),
                .total = total,
                .segment = plan.segment,
                .address = reinterpret_cast<std::uint64_t>(source.base),
                .count = source.count,
                .layout = plan.layout.id,
                .layout_version = plan.layout.version,
                .memory = reinterpret_cast<std::uint64_t>(arena_.base()),
                .wire = plan.layout.wire,
                .wire_bytes = plan.layout.wire_bytes};
  if (message->code >= 0) descriptor.length = static_cast<std::uint32_t>(Lengths::of(message->code));
  if (message->code == LengthBook::unsized) descriptor.length = Lengths::unsized;
  if (plan.place) {
    descriptor.region = plan.place->id;
    descriptor.region_version = plan.place->version;
    descriptor.region_offset = plan.place->offset;
  }
  seal(descriptor);
  message->entry->publish(plan.receiver, plan.tag, descriptor);
  std::atomic_thread_fence(std::memory_order_release);  // the cells are in place before anybody hears of them
  return message;
}

/// Vectors never grow while messages are under way: each has room for all messages.
bool RendezvousSender::make_one() noexcept try {
  left_.reserve(all_.size() + 1);
  unused_.reserve(all_.size() + 1);
  auto fresh = std::make_unique<Outgoing>();
  fresh->entry = announcements_.make();
  if (!fresh->entry) return false;
  all_.push_back(std::move(fresh));
  unused_.push_back(all_.back().get());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

std::byte* RendezvousSender::slot_for(Outgoing& message, Count i) noexcept {
  const Count number = i / message.per_slot;
  if (message.slot_number == number) return message.slot;
  message.slot_number = number;
  message.slot = nullptr;
  // Cells come out of order only after a receiver has given one back. Then its neighbours may have
  // a slot already.
  const Count end = std::min((number + 1) * message.per_slot, message.segments);
  for (Count other = number * message.per_slot; other < end; ++other)
    if (const Cell& cell = message.control->cells[other]; cell.place)
      message.slot = arena_.base() + Bytes{cell.place} * line_bytes - other % message.per_slot * message.segment;
  if (!message.slot) {
    const std::lock_guard guard(lock_);
    reclaim(message);  // first the slots that have come back: they are warm
    message.slot = arena_.take();
    --message.reserved;
  }
  return message.slot;
}

std::byte* RendezvousSender::place_for(Outgoing& message, Count i) noexcept {
  return slot_for(message, i) + i % message.per_slot * message.segment;
}

void RendezvousSender::publish(Cell& cell, const std::byte* place) noexcept {
  cell.place = static_cast<std::uint32_t>((place - arena_.base()) / line_bytes);
  cell.state.store(State::packed, std::memory_order_release);
}

void RendezvousSender::pack(Outgoing& message, Count i) noexcept {
  Cell& cell = message.control->cells[i];
  if (!claim(cell, State::packing)) return;
  std::byte* const place = place_for(message, i);
  const Bytes from = i * message.segment;
  layout::pack_away(*message.source.layout, message.source.count, message.source.base, from,
                    std::min(message.segment, message.total - from), place, message.stores);
  publish(cell, place);
}

/// Packs several segments of a transpose as one, in private memory: a segment has only one or two
/// elements of each source line.
void RendezvousSender::pack_portion(Outgoing& message, ScratchBuffers& scratch) noexcept {
  Cell* const cells = message.control->cells;
  const Count first = message.passed;
  const Count most = std::min(first + message.portion, message.segments);
  Count end = first;
  while (end < most && claim(cells[end], State::packing)) ++end;
  if (end == first) {  // it is the receiver's
    ++message.passed;
    return;
  }
  const Bytes from = first * message.segment;
  const Bytes length = std::min(end * message.segment, message.total) - from;
  layout::pack_range(*message.source.layout, message.source.count, message.source.base, from, length,
                     scratch.portion_buffer.data());
  for (Count i = first; i < end; ++i) {
    const Bytes at = (i - first) * message.segment;
    std::byte* const place = place_for(message, i);
    layout::copy_away(scratch.portion_buffer.data() + at, std::min(message.segment, length - at), place, message.stores);
    publish(cells[i], place);
    ++message.passed;
  }
}

void RendezvousSender::pack_rest(Outgoing& message) noexcept {
  if (ScratchBuffers* const scratch = message.portion > 1 && shared_.scratch_pool ? shared_.scratch_pool->take() : nullptr) {
    while (message.passed < message.segments) pack_portion(message, *scratch);
    shared_.scratch_pool->give(scratch);
  }
  for (; message.passed < message.segments; ++message.passed) pack(message, message.passed);
}

/// Returns when no cell is open, or when the receiver has not taken one for grace_ns.
void RendezvousSender::leave_to_receiver(const Outgoing& message) const noexcept {
  const Cell* cells = message.control->cells;
  std::int64_t since = clock_();
  Count open = 0;
  for (Patience patience(crowded_);;) {
    const Count before = open;
    while (open < message.segments && cells[open].state.load(std::memory_order_acquire) != State::open) ++open;
    if (open == message.segments) return;
    if (open != before) {
      since = clock_();
      patience.renew();
    }
    if (patience.pause() && clock_() - since > message.grace_ns) return;
  }
}

void RendezvousSender::settle(Outgoing& message, report::Times* times) noexcept {
  using report::Stopwatch;
  using report::Times;
  if (message.grace_ns > 0) {
    const Stopwatch watch(times, &Times::wait);
    leave_to_receiver(message);
  }
  {
    const Stopwatch watch(times, &Times::pack);
    pack_rest(message);
  }
  const Stopwatch watch(times, &Times::wait);
  // The receiver reads taken cells from the buffer. It gives a cell back if it cannot read it.
  for (Count i = 0; i < message.segments; ++i) {
    Cell& cell = message.control->cells[i];
    wait_until([&cell] { return cell.state.load(std::memory_order_acquire) != State::taken; }, crowded_);
    if (cell.state.load(std::memory_order_acquire) == State::open) pack(message, i--);
  }
}

/// Gives back the slots whose segments are all done, from the front on.
void RendezvousSender::reclaim(Outgoing& message) noexcept {
  const Cell* cells = message.control->cells;
  while (message.reclaimed * message.per_slot < message.passed) {
    const Count first = message.reclaimed * message.per_slot;
    const Count end = std::min(first + message.per_slot, message.segments);
    if (end > message.passed) return;
    std::byte* slot = nullptr;
    for (Count i = first; i < end; ++i) {
      if (cells[i].state.load(std::memory_order_acquire) != State::done) return;
      if (cells[i].place) slot = arena_.base() + Bytes{cells[i].place} * line_bytes - (i - first) * message.segment;
    }
    if (message.piece) {
      arena_.give_piece(message.piece);
    } else if (slot) {
      arena_.give(slot);
    } else {
      arena_.unreserve(1);  // the receiver took it all
      --message.reserved;
    }
    ++message.reclaimed;
  }
}

bool RendezvousSender::finish_if_drained(std::size_t i) noexcept {
  Outgoing* message = left_[i];
  reclaim(*message);
  if (message->reclaimed * message->per_slot < message->segments) return false;
  left_[i] = left_.back();
  left_.pop_back();
  release(message);
  return true;
}

void RendezvousSender::look_at_some() noexcept {
  for (std::size_t looks = std::min(some, left_.size()); looks > 0 && !left_.empty(); --looks) {
    if (next_look_ >= left_.size()) next_look_ = 0;
    if (!finish_if_drained(next_look_)) ++next_look_;
  }
}

const Source* RendezvousSender::source_of(const Descriptor& descriptor) noexcept {
  const std::lock_guard guard(lock_);
  const auto is_at = [&](std::size_t i) { return i < all_.size() && all_[i]->generation == descriptor.generation; };
  // Messages are received in the order of their sends, so the next is often beside the last.
  for (const std::size_t i : {last_found_, last_found_ + 1, last_found_ - 1})
    if (is_at(i)) return &all_[last_found_ = i]->source;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (is_at(i)) return &all_[last_found_ = i]->source;
  return nullptr;
}

void RendezvousSender::release(Outgoing* message) noexcept {
  message->generation = 0;
  message->entry->retract();
  if (message->receiver >= 0) shared_.distances.hear(message->receiver, message->asked, *message->control);
  arena_.give_control(message->control);
  lengths_.give(message->code);
  unused_.push_back(message);
}

void RendezvousSender::leave(Outgoing* message) noexcept {
  const std::lock_guard guard(lock_);
  left_.push_back(message);
}

void RendezvousSender::withdraw(Outgoing* message) noexcept {
  for (Count i = 0; i < message->segments; ++i) message->control->cells[i].state.store(State::done, std::memory_order_relaxed);
  message->passed = message->segments;
  const std::lock_guard guard(lock_);
  reclaim(*message);
  release(message);
}

void RendezvousSender::note_plain(Bytes length, int tag) noexcept {
  const std::lock_guard guard(lock_);
  lengths_.sends_plainly(length, tag);
}

void RendezvousSender::sweep() noexcept {
  const std::lock_guard guard(lock_);
  for (std::size_t i = left_.size(); i-- > 0;) finish_if_drained(i);
}

std::byte* RendezvousSender::lend() noexcept {
  const std::lock_guard guard(lock_);
  return arena_.reserve(1) ? arena_.take_to_keep() : nullptr;
}

void RendezvousSender::take_back(std::byte* slot) noexcept {
  const std::lock_guard guard(lock_);
  arena_.give(slot);
}

}  // namespace heddle::engine
