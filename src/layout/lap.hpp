// layout/lap.hpp: layouts whose packed order comes back to the same cache lines, round after round:
// a transpose packs one element of every line, then the next of every line.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

/// The longest of them, in packed bytes; all 0 where no line is met twice, or the order is no nest of loops.
struct Lap {
  Bytes bytes = 0;  ///< From an element to its neighbour in the same 64-byte line.
  Bytes whole = 0;  ///< Until no line is half done: elements of 24 bytes fill three lines in eight rounds.
};

/// O(depth of the program); allocates nothing.
Lap lap(const Layout& layout, Count count) noexcept;

/// How much of `total` packed bytes is best packed or unpacked at once, where it otherwise goes in segments: as many whole
/// lines as `most` bytes hold, but a small part of the message, in whole segments. 0: a segment is as good.
Bytes portion(const Lap& lap, Bytes total, Bytes segment, Bytes most) noexcept;

}  // namespace heddle::layout
