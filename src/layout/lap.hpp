// layout/lap.hpp: layouts whose packed order comes back to the same cache lines, round after round: a transpose packs one
// element of every line, then the next of every line. May include: layout.hpp.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

/// The longest of them, in packed bytes; all 0 where no line is met twice, or the order is no nest of loops.
struct Lap {
  Bytes bytes = 0;  ///< From an element to its neighbour in the same 64-byte line.
  Bytes whole = 0;  ///< From the first element of a line to the end of its last: a shorter portion leaves lines half done.
};

/// O(depth of the program); allocates nothing.
Lap lap(const Layout& layout, Count count) noexcept;

}  // namespace heddle::layout
