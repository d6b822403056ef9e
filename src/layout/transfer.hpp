// layout/transfer.hpp: copies from one layout to another, in one pass.
//
//   transfer(rows, 1, matrix, columns, 1, transposed);
//
// Two loop nests are zipped into one nest of common blocks, which is tiled. Other layouts go
// through a stage in the first-level cache, never through a buffer of the message's size.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

/// Moves min(packed sizes) bytes. The two buffers must not overlap.
void transfer(const Layout& from, Count from_count, const void* from_base, const Layout& to, Count to_count, void* to_base);

}  // namespace heddle::layout
