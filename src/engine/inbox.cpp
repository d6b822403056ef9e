// engine/inbox.cpp: unpacking segment by segment.
#include "engine/inbox.hpp"

#include <algorithm>

#include "engine/wait.hpp"
#include "layout/pack.hpp"

namespace heddle::engine {
namespace {

Control& control_of(const Descriptor& descriptor, std::byte* memory) {
  return *reinterpret_cast<Control*>(memory + descriptor.control);
}

}  // namespace

bool stale(const Descriptor& descriptor, const std::byte* memory) noexcept {
  const auto& control = *reinterpret_cast<const Control*>(memory + descriptor.control);
  return control.generation.load(std::memory_order_acquire) != descriptor.generation;
}

Bytes receive(const Descriptor& descriptor, std::byte* memory, const Target& target, bool crowded) noexcept {
  Control& control = control_of(descriptor, memory);
  const Bytes capacity = target.count * target.layout->size();
  const Count segments = descriptor.segments();
  for (Count i = 0; i < segments; ++i) {
    Cell& cell = control.cells[i];
    wait_until([&cell] { return cell.state.load(std::memory_order_acquire) == State::packed; }, crowded);
    const Bytes from = i * descriptor.segment;
    const Bytes length = std::min(descriptor.segment_length(i), capacity - from);
    if (length > 0)
      layout::unpack_range(*target.layout, target.count, target.base, from, length, memory + Bytes{cell.place} * 64);
    cell.state.store(State::done, std::memory_order_release);
  }
  return std::min(descriptor.total, capacity);
}

}  // namespace heddle::engine
