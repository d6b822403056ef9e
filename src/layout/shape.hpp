// layout/shape.hpp: a layout in a few numbers, for decisions of select/ and for people.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

struct Shape {
  Bytes size = 0;              ///< Packed bytes.
  Bytes extent = 0;            ///< Lower to upper bound of all elements.
  Bytes true_extent = 0;       ///< First to last byte touched.
  Count blocks = 0;            ///< Contiguous pieces.
  double mean_block = 0;       ///< Bytes.
  Bytes median_block = 0;      ///< Bytes.
  double deviation_block = 0;  ///< Standard deviation, bytes.
  Bytes smallest_block = 0;    ///< Bytes.
  Bytes largest_block = 0;     ///< Bytes.
  Count lines = 0;             ///< 64-byte lines touched if offset 0 is line-aligned: exact for lists, a bound for loops.
  int depth = 0;               ///< Levels of the canonical program.
};

/// Takes time in proportion to the program, not to the data: loops multiply a histogram of block
/// lengths.
Shape shape(const Layout& layout, Count count = 1);

}  // namespace heddle::layout
