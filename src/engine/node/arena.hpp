// engine/node/arena.hpp: allocates the parts of this process's node memory.
//
//   | for peers, 4 KiB | slot 0 | slot 1 | ...            slots of 64 KiB; some are cut into small control blocks,
//                                                         some into pieces of 4, 8, 16 or 32 KiB for short messages
//
// A sender *reserves* room, as a number of slots, before a descriptor goes out. It *takes* slots
// when packing begins, and *gives* them back when the receiver has unpacked them. The last slot
// given is the first taken. So a message of any size cycles through a few warm slots as long as its
// receiver keeps up. If the receiver does not keep up, packing still never lacks a slot (in Wu et
// al. 2004, §3.2.3, it may). A message of at most half a slot takes its piece at once, so that
// thousands of messages under way take about as much memory as they have bytes. When traffic has
// needed less memory for a while, the memory of a burst goes back to the system. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/node/control_block.hpp"

namespace heddle::engine {

constexpr Bytes slot_bytes = Bytes{64} << 10;

class Arena {
 public:
  /// Brings pages into being; false: there is no memory for them. (Touching them then would end the
  /// process.)
  using Grow = bool (*)(std::byte* base, Bytes size) noexcept;

  /// Gives pages back to the system. Nothing touches them until they have been brought into being
  /// again.
  using Shrink = void (*)(std::byte* base, Bytes size) noexcept;

  /// @param base    Start of the node memory: zeroed, aligned to a page.
  /// @param grow    Called for more memory, in steps of 2 MiB. Null: all of it is there.
  /// @param shrink  Called for unneeded memory, in such steps. Null: all is kept.
  Arena(std::byte* base, Bytes size, Grow grow = nullptr, Shrink shrink = nullptr);

  /// Promises `slots` slots. False: not now.
  [[nodiscard]] bool reserve(Count slots) noexcept;
  void unreserve(Count slots) noexcept { reserved_ -= slots; }
  /// One of the slots that were reserved.
  [[nodiscard]] std::byte* take() noexcept;
  /// take() for long use. The slot is one of the first, because memory below a slot in use cannot
  /// go back to the system.
  [[nodiscard]] std::byte* take_to_keep() noexcept;
  void give(std::byte* slot) noexcept;

  /// Room for a message of at most most_piece bytes, or null: not now.
  [[nodiscard]] std::byte* take_piece(Bytes bytes) noexcept;
  void give_piece(std::byte* piece) noexcept;

  /// A control block with so many cells, or null. Its generation may be any number: the user counts
  /// generations.
  [[nodiscard]] Control* take_control(Count segments) noexcept;
  void give_control(Control* control) noexcept;

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] Count reserved() const { return reserved_; }
  /// Bytes whose pages are there.
  [[nodiscard]] Bytes present() const noexcept;

  /// Bytes before the slots (scatter_hints.hpp, lengths.hpp, unclaimed.hpp, announcements.hpp).
  static constexpr Bytes head = 4096;
  /// So many slots and pieces are given back between two looks at the memory that was needed.
  static constexpr Count review = 4096;
  static constexpr Bytes least_piece = 4 << 10;
  static constexpr Bytes most_piece = slot_bytes / 2;
  /// Slots that are kept in any case: 4 MiB.
  static constexpr Count least_kept = 64;
  /// Slots for control blocks, layouts and mailboxes, at most: 1 MiB.
  static constexpr Count most_keepers = 16;
  /// The number of cells of the largest control block.
  static constexpr Count most_segments = (slot_bytes - 64) / static_cast<Bytes>(sizeof(Cell));

 private:
  static constexpr Bytes small_control = 512;
  static constexpr Count small_segments = (small_control - 64) / static_cast<Bytes>(sizeof(Cell));

  static constexpr std::size_t piece_sizes = 4;  // least_piece and doubles of it, to most_piece

  /// A slot that is cut into pieces.
  struct Cut {
    std::uint16_t free = 0;   ///< A bit for each piece.
    std::uint8_t size = 0;    ///< least_piece << size.
    std::uint32_t place = 0;  ///< Index in open_[size], while a piece is free.
    [[nodiscard]] Bytes bytes() const { return least_piece << size; }
    [[nodiscard]] std::uint16_t all() const { return static_cast<std::uint16_t>((1u << (slot_bytes / bytes())) - 1); }
  };
  [[nodiscard]] std::uint32_t number_of(const std::byte* at) const noexcept {
    return static_cast<std::uint32_t>((at - base_ - head) / slot_bytes);
  }
  [[nodiscard]] std::byte* slot(std::uint32_t number) const noexcept { return base_ + head + slot_bytes * Bytes{number}; }
  void close(std::uint32_t number) noexcept;

  std::byte* pop() noexcept;
  std::byte* pop_to_keep() noexcept;
  bool ready(Count slots) noexcept;
  void trim() noexcept;

  std::byte* base_;
  Count slots_;
  Grow grow_;
  Shrink shrink_;
  Count ready_;     // slots whose pages are there
  Count keepers_;   // number of first slots that are for take_to_keep()
  Count kept_ = 0;  // of these, used so far
  Count fresh_;     // slots never used so far begin here
  Count used_ = 0;
  Count reserved_ = 0;
  Count busiest_ = 0;  // used and reserved at once, at most, since the last look
  Count given_ = 0;
  std::vector<std::byte*> free_;  // below high_from_: the lowest on top after a look
  std::vector<std::byte*> high_;  // the others
  const std::byte* high_from_ = base_ + head + slots_ * slot_bytes;
  std::vector<Cut> cuts_;                                     // by slot
  std::array<std::vector<std::uint32_t>, piece_sizes> open_;  // slots that have a free piece of that size
  std::vector<Control*> free_small_;
  std::vector<Control*> free_large_;
  Count small_ = 0, large_ = 0;  // control blocks there are of each kind
};

/// The end of the longest control block that can begin at this offset of a node memory.
[[nodiscard]] constexpr Bytes control_end(std::uint64_t offset, Bytes memory_size) noexcept {
  const auto size = static_cast<std::uint64_t>(memory_size);
  return static_cast<Bytes>(offset < size ? std::min(offset + std::uint64_t{slot_bytes}, size) : size);
}

/// The control block at an offset that a peer names, in its node memory. Null: there can be none.
[[nodiscard]] Control* control_at(std::uint64_t offset, std::byte* memory, Bytes memory_size) noexcept;

}  // namespace heddle::engine
