// layout/pack.hpp: packs elements from memory into a stream of bytes, and unpacks them.
//
//   pack(layout, count, base, out);                            // all of it
//   pack_range(layout, count, base, 65536, 8192, segment);     // bytes 65536 ... 73727 of the packed stream
//
// The functions keep no state. Ranges may come in any order, and several threads may work on
// disjoint ranges. Seeking is O(depth · log pieces). `base` is the buffer argument of an MPI call.
// Displacements and the lower bound are relative to it. Reads of memory stay within pages that the
// layout touches. Writes are exact.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

void pack(const Layout& layout, Count count, const void* base, void* out);
void unpack(const Layout& layout, Count count, void* base, const void* in);

/// Packs (or unpacks) bytes [from, from + length) of the packed stream. A range outside of 0 ...
/// size·count throws std::out_of_range.
void pack_range(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out);
void unpack_range(const Layout& layout, Count count, void* base, Bytes from, Bytes length, const void* in);

}  // namespace heddle::layout
