// layout/lap.hpp: finds layouts whose packed order returns to the same cache lines round after
// round. Example: a transpose packs one element of every line, then the next element of every line.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

/// The longest such round, in packed bytes. All 0 if the order meets no line twice, or is no nest
/// of loops.
struct Lap {
  Bytes bytes = 0;  ///< Packed bytes between an element and its neighbour in the same 64-byte line.
  Bytes whole = 0;  ///< Packed bytes after which no line is half done. Elements of 24 bytes fill three lines in eight rounds.
};

/// O(depth of the program); allocates nothing.
Lap lap(const Layout& layout, Count count) noexcept;

/// The best portion of `total` packed bytes to pack or unpack at once, if the message otherwise
/// goes in segments. The portion fills as many whole lines as `most` bytes hold, is a small part of
/// the message, and consists of whole segments. 0: a segment is as good.
Bytes portion(const Lap& lap, Bytes total, Bytes segment, Bytes most) noexcept;

}  // namespace heddle::layout
