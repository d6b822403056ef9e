// engine/node/arena.cpp: stacks of free slots and control blocks.
#include "engine/node/arena.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <new>

namespace heddle::engine {
namespace {

constexpr Bytes step = Bytes{2} << 20;

Bytes whole_steps(Bytes bytes) { return (bytes + step - 1) / step * step; }

}  // namespace

Arena::Arena(std::byte* base, Bytes size, Grow grow, Shrink shrink)
    : base_(base),
      slots_((size - head) / slot_bytes),
      grow_(grow),
      shrink_(shrink),
      ready_(grow ? 0 : slots_),
      keepers_(std::min(most_keepers, slots_ / 8)),
      fresh_(keepers_) {
  // Nothing is allocated once messages flow: a list never holds more than there is.
  free_.reserve(static_cast<std::size_t>(slots_));
  high_.reserve(static_cast<std::size_t>(slots_));
  cuts_.resize(static_cast<std::size_t>(slots_));
  for (auto& open : open_) open.reserve(static_cast<std::size_t>(slots_));
  free_small_.reserve(static_cast<std::size_t>(slot_bytes / small_control));
}

/// True: so many slots have pages. Missing pages are brought in, many at a time, because every step
/// stops the process for a while.
bool Arena::ready(Count slots) noexcept {
  slots += keepers_;
  if (slots > slots_) return false;
  while (slots > ready_) {
    const Bytes have = ready_ ? head + ready_ * slot_bytes : 0;
    const Bytes end = std::min(whole_steps(head + slots * slot_bytes), head + slots_ * slot_bytes);
    if (!grow_(base_ + have / step * step, end - have / step * step)) return false;
    ready_ = (end - head) / slot_bytes;
  }
  return true;
}

Bytes Arena::present() const noexcept {
  return ready_ ? std::min(whole_steps(head + ready_ * slot_bytes), head + slots_ * slot_bytes) : 0;
}

bool Arena::reserve(Count slots) noexcept {
  if (!ready(used_ + reserved_ + slots)) return false;
  reserved_ += slots;
  busiest_ = std::max(busiest_, used_ + reserved_);
  return true;
}

std::byte* Arena::pop() noexcept {
  busiest_ = std::max(busiest_, ++used_ + reserved_);
  std::vector<std::byte*>& stack = free_.empty() ? high_ : free_;
  if (stack.empty()) return base_ + head + slot_bytes * fresh_++;
  std::byte* slot = stack.back();
  stack.pop_back();
  return slot;
}

std::byte* Arena::pop_to_keep() noexcept {
  if (kept_ == keepers_) return pop();
  busiest_ = std::max(busiest_, ++used_ + reserved_);
  return base_ + head + slot_bytes * kept_++;
}

std::byte* Arena::take() noexcept {
  --reserved_;
  return pop();
}

std::byte* Arena::take_to_keep() noexcept {
  --reserved_;
  return pop_to_keep();
}

void Arena::give(std::byte* slot) noexcept {
  --used_;
  (slot < high_from_ ? free_ : high_).push_back(slot);
  if (++given_ % review == 0) trim();
}

/// Gives free slots back to the system. Keeps twice as many slots as were in use at once since the
/// last look, and every slot below a slot in use. Slots above the kept ones are taken only if no
/// other slot is free, so that they fall out of use.
void Arena::trim() noexcept {
  const Count keep = keepers_ + std::max(least_kept, 2 * busiest_);
  busiest_ = used_ + reserved_;
  if (!shrink_) return;
  // Large control blocks are whole slots. They can go, because the sender counts the generations
  // (rendezvous_sender.hpp).
  for (Control* control : free_large_) free_.push_back(reinterpret_cast<std::byte*>(control));
  used_ -= static_cast<Count>(free_large_.size());
  large_ -= static_cast<Count>(free_large_.size());
  free_large_.clear();
  for (std::vector<std::uint32_t>& open : open_) {
    if (open.size() != 1 || cuts_[open.front()].free != cuts_[open.front()].all()) continue;
    free_.push_back(slot(open.front()));
    --used_;
    open.clear();
  }
  free_.insert(free_.end(), high_.begin(), high_.end());
  std::sort(free_.begin(), free_.end(), std::greater<>());
  auto highest = free_.begin();
  while (highest != free_.end() && fresh_ > keep && *highest == base_ + head + slot_bytes * (fresh_ - 1)) {
    ++highest;
    --fresh_;
  }
  high_from_ = base_ + head + slot_bytes * keep;
  const auto low = std::find_if(highest, free_.end(), [this](const std::byte* slot) { return slot < high_from_; });
  high_.assign(highest, low);
  free_.erase(free_.begin(), low);

  const Bytes before = present();
  const Bytes after = std::min(before, whole_steps(head + fresh_ * slot_bytes));
  if (after == before) return;
  shrink_(base_ + after, before - after);
  ready_ = (after - head) / slot_bytes;
}

std::byte* Arena::take_piece(Bytes bytes) noexcept {
  const auto units = static_cast<std::uint64_t>((bytes + least_piece - 1) / least_piece);
  const auto size = static_cast<std::size_t>(std::bit_width(units - 1));
  std::vector<std::uint32_t>& open = open_[size];
  if (open.empty()) {
    if (!ready(used_ + reserved_ + 1)) return nullptr;
    const std::uint32_t fresh = number_of(pop());
    Cut& cut = cuts_[fresh];
    cut.size = static_cast<std::uint8_t>(size);
    cut.free = cut.all();
    cut.place = 0;
    open.push_back(fresh);
  }
  const std::uint32_t number = open.back();
  Cut& cut = cuts_[number];
  const int first = std::countr_zero(cut.free);
  cut.free = static_cast<std::uint16_t>(cut.free & (cut.free - 1));
  if (cut.free == 0) open.pop_back();
  return slot(number) + first * cut.bytes();
}

void Arena::give_piece(std::byte* piece) noexcept {
  const std::uint32_t number = number_of(piece);
  Cut& cut = cuts_[number];
  std::vector<std::uint32_t>& open = open_[cut.size];
  if (cut.free == 0) {
    cut.place = static_cast<std::uint32_t>(open.size());
    open.push_back(number);
  }
  cut.free = static_cast<std::uint16_t>(cut.free | 1u << ((piece - slot(number)) / cut.bytes()));
  // The last slot of a size stays cut: the next message is likely to have this size.
  if (cut.free == cut.all() && open.size() > 1) close(number);
  if (++given_ % review == 0) trim();
}

/// Makes a slot whole again when no piece of it is in use.
void Arena::close(std::uint32_t number) noexcept {
  Cut& cut = cuts_[number];
  std::vector<std::uint32_t>& open = open_[cut.size];
  open[cut.place] = open.back();
  cuts_[open.back()].place = cut.place;
  open.pop_back();
  cut.free = 0;
  give(slot(number));
}

Control* Arena::take_control(Count segments) noexcept {
  const bool small = segments <= small_segments;
  std::vector<Control*>& free = small ? free_small_ : free_large_;
  if (free.empty()) {
    if (segments > most_segments || !ready(used_ + reserved_ + 1)) return nullptr;
    try {
      const Bytes bytes = small ? small_control : slot_bytes;
      Count& made = small ? small_ : large_;
      free.reserve(static_cast<std::size_t>(made + slot_bytes / bytes));
      made += slot_bytes / bytes;
      std::byte* slot = pop_to_keep();
      for (Bytes at = slot_bytes; at > 0; at -= bytes) free.push_back(make_control(slot + at - bytes));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  Control* control = free.back();
  free.pop_back();
  return control;
}

void Arena::give_control(Control* control) noexcept {
  // The number of segments tells the list. The address does not: some small blocks begin where a
  // slot begins, too.
  (control->segments <= small_segments ? free_small_ : free_large_).push_back(control);
}

Control* control_at(std::uint64_t offset, std::byte* memory, Bytes memory_size) noexcept {
  const auto size = static_cast<std::uint64_t>(memory_size);
  if (offset % alignof(Control) != 0 || offset < Arena::head || offset > size || size - offset < sizeof(Control))
    return nullptr;
  auto* const control = reinterpret_cast<Control*>(memory + offset);
  const Count segments = control->segments;
  const bool fits =
      segments >= 1 && segments <= Arena::most_segments && Control::bytes(segments) <= memory_size - static_cast<Bytes>(offset);
  return fits ? control : nullptr;
}

}  // namespace heddle::engine
