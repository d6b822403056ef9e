// layout/pack.hpp: bytes from memory order to packed order and back.
//
//   pack(layout, count, base, out);                            // all of it
//   pack_range(layout, count, base, 65536, 8192, segment);     // bytes 65536 ... 73727 of the packed stream
//
// Stateless: any range, any order, from several threads at once on disjoint ranges. Seeking is O(depth · log pieces).
// `base` is the buffer argument of an MPI call: displacements, the lower bound among them, are relative to it.
// Reads of memory stay within pages that the layout touches; writes are exact.
#pragma once

#include "layout/layout.hpp"

namespace heddle::layout {

void pack(const Layout& layout, Count count, const void* base, void* out);
void unpack(const Layout& layout, Count count, void* base, const void* in);

/// Bytes [from, from + length) of the packed stream. Outside 0 ... size·count: std::out_of_range.
void pack_range(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out);
void unpack_range(const Layout& layout, Count count, void* base, Bytes from, Bytes length, const void* in);

}  // namespace heddle::layout
