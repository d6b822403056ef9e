// layout/kernel/reach.hpp: how far the blocks of two loops reach, and so where they come from. Compiled once for each
// instruction set.
#pragma once

#include "layout/kernel/table.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

constexpr Bytes cache_line = 64;

inline Bytes magnitude(Bytes a) { return a < 0 ? -a : a; }

inline Bytes longer_stride(const Dim& dim) {
  const Bytes to = magnitude(dim.to), from = magnitude(dim.from);
  return to > from ? to : from;
}

/// Of memory between the first byte touched and the last, at most.
inline Bytes span_of(const Dim& outer, const Dim& inner) { return longer_stride(inner) * inner.count * outer.count; }

/// What is farther apart comes from memory.
constexpr Bytes nearby = 4 << 20;

/// Blocks on lines of their own, so many that they come from beyond the second-level cache whatever the stride: those to come
/// are always fetched ahead. ns a block of 8 (40) bytes, 262,144 of them: every 640 bytes packed 2.8 → 1.4 (5.0 → 2.7), every
/// 2048 11.5 → 6.0 (7.9 → 7.3); 65,536 every 8192 21 → 13, unpacked every 1536 5.0 → 2.9 (4.5 → 2.7).
inline bool many_lines(const Dim& outer, const Dim& inner) {
  return outer.count * inner.count >= 1 << 16 && longer_stride(inner) >= cache_line;
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
