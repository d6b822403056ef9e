// engine/arena.hpp: who has which part of this process's node memory. May include: control.hpp.
//
//   | wishes 4 KiB | slot 0 | slot 1 | ...                        slots of 64 KiB; some are cut into small control blocks
//
// Room is *reserved* before a descriptor goes out, as a number; slots are *taken* when packing begins and *given* back when the
// receiver has unpacked them, last in, first out: a message of any size cycles through a few warm slots as long as its receiver
// keeps up, and packing never lacks a slot if it does not (Wu et al. 2004, §3.2.3, where it may). Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/control.hpp"

namespace heddle::engine {

constexpr Bytes slot_bytes = Bytes{64} << 10;

class Arena {
 public:
  /// Brings pages into being; false: there is no memory for them. (Touching them then would end the process.)
  using Grow = bool (*)(std::byte* base, Bytes size) noexcept;

  /// @param base  Start of the node memory, zeroed, aligned to a page.
  /// @param grow  Called for more of it, in steps of 2 MiB; null: all of it is there.
  Arena(std::byte* base, Bytes size, Grow grow = nullptr);

  /// Promises `slots` slots. False: not now.
  [[nodiscard]] bool reserve(Count slots) noexcept;
  void unreserve(Count slots) noexcept { reserved_ -= slots; }
  /// One of the slots that were reserved.
  [[nodiscard]] std::byte* take() noexcept;
  void give(std::byte* slot) noexcept;

  /// A control block with this many cells, or null. Its generation is that of the last user.
  [[nodiscard]] Control* take_control(Count segments) noexcept;
  void give_control(Control* control) noexcept;

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] Count reserved() const { return reserved_; }

  /// What comes before the slots (wishes.hpp), bytes.
  static constexpr Bytes head = 4096;
  /// As many as the largest control block has.
  static constexpr Count most_segments = (slot_bytes - 64) / static_cast<Bytes>(sizeof(Cell));

 private:
  static constexpr Bytes small_control = 512;
  static constexpr Count small_segments = (small_control - 64) / static_cast<Bytes>(sizeof(Cell));

  std::byte* pop() noexcept;
  bool ready(Count slots) noexcept;

  std::byte* base_;
  Count slots_;
  Grow grow_;
  Count ready_;      // slots whose pages are there
  Count fresh_ = 0;  // slots never used so far begin here
  Count used_ = 0;
  Count reserved_ = 0;
  std::vector<std::byte*> free_;
  std::vector<Control*> free_small_;
  std::vector<Control*> free_large_;
};

}  // namespace heddle::engine
