// layout/transfer.hpp: one pass from one layout to another of the same size.
//
//   transfer(rows, 1, matrix, columns, 1, transposed);
//
// Two loop nests are zipped to one nest of common blocks and tiled; anything else goes through an L1-sized stage, never
// through a buffer of the message's size.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

/// Moves min(packed sizes) bytes. The two buffers must not overlap.
void transfer(const Layout& from, Count from_count, const void* from_base, const Layout& to, Count to_count, void* to_base);

}  // namespace heddle::layout
