// engine/arena.cpp: stacks of free slots and control blocks.
#include "engine/arena.hpp"

#include <algorithm>
#include <new>

namespace heddle::engine {

Arena::Arena(std::byte* base, Bytes size, Grow grow)
    : base_(base), slots_((size - head) / slot_bytes), grow_(grow), ready_(grow ? 0 : slots_) {
  // Nothing is allocated once messages flow: a list never holds more than there is.
  free_.reserve(static_cast<std::size_t>(slots_));
  free_small_.reserve(static_cast<std::size_t>(slot_bytes / small_control));
}

/// Whether that many slots are there, made so if need be: many at a time, because every step stops the process for a while.
bool Arena::ready(Count slots) noexcept {
  if (slots > slots_) return false;
  constexpr Bytes step = Bytes{2} << 20;
  while (slots > ready_) {
    const Bytes have = ready_ ? head + ready_ * slot_bytes : 0;
    const Bytes end = std::min((head + slots * slot_bytes + step - 1) / step * step, head + slots_ * slot_bytes);
    if (!grow_(base_ + have / step * step, end - have / step * step)) return false;
    ready_ = (end - head) / slot_bytes;
  }
  return true;
}

bool Arena::reserve(Count slots) noexcept {
  if (!ready(used_ + reserved_ + slots)) return false;
  reserved_ += slots;
  return true;
}

std::byte* Arena::pop() noexcept {
  ++used_;
  if (free_.empty()) return base_ + head + slot_bytes * fresh_++;
  std::byte* slot = free_.back();
  free_.pop_back();
  return slot;
}

std::byte* Arena::take() noexcept {
  --reserved_;
  return pop();
}

void Arena::give(std::byte* slot) noexcept {
  --used_;
  free_.push_back(slot);
}

Control* Arena::take_control(Count segments) noexcept {
  const bool small = segments <= small_segments;
  std::vector<Control*>& free = small ? free_small_ : free_large_;
  if (free.empty()) {
    if (segments > most_segments || !ready(used_ + reserved_ + 1)) return nullptr;
    try {
      const Bytes bytes = small ? small_control : slot_bytes;
      free.reserve(free.capacity() + static_cast<std::size_t>(slot_bytes / bytes));
      std::byte* slot = pop();
      for (Bytes at = slot_bytes; at > 0; at -= bytes) free.push_back(new (slot + at - bytes) Control);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  Control* control = free.back();
  free.pop_back();
  return control;
}

void Arena::give_control(Control* control) noexcept {
  // Which list it belongs to: large ones begin where slots begin. So do some small ones, and these know it.
  (control->segments <= small_segments ? free_small_ : free_large_).push_back(control);
}

}  // namespace heddle::engine
