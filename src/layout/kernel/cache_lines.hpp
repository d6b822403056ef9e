// layout/kernel/cache_lines.hpp: the cache lines of the blocks of two loops. The functions are
// always inlined, because each instruction set compiles them, too (kernel_table.hpp).
#pragma once

#include "layout/kernel/kernels.hpp"

namespace heddle::layout::kernel {

constexpr Bytes cache_line = 64;
constexpr Count cache_sets = 64;  // first level: 32 KiB in 8 ways, or 48 KiB in 12

/// Rows with at most this many lines in a set stay in the second-level cache, and come from there
/// at full speed.
constexpr Count lines_kept = 512;

[[gnu::always_inline]] constexpr Bytes magnitude(Bytes a) { return a < 0 ? -a : a; }

[[gnu::always_inline]] constexpr Bytes longer_stride(const Dim& dim) {
  const Bytes to = magnitude(dim.to), from = magnitude(dim.from);
  return to > from ? to : from;
}

/// An upper bound for the memory between the first and the last byte touched.
[[gnu::always_inline]] constexpr Bytes span_of(const Dim& outer, const Dim& inner) {
  return longer_stride(inner) * inner.count * outer.count;
}

/// The number of sets over which a stride spreads the first lines of a row's blocks; cache_sets if
/// it spreads them well.
[[gnu::always_inline]] constexpr Count sets_met(Bytes stride) {
  const auto bits = static_cast<std::uint64_t>(stride) | static_cast<std::uint64_t>(cache_line * cache_sets);
  return cache_line * cache_sets / static_cast<Count>(bits & (~bits + 1));
}

/// The number of sets that the blocks of a row share.
[[gnu::always_inline]] constexpr Count sets_shared(Bytes stride, Bytes block) {
  return sets_met(stride) * ((block + cache_line - 1) / cache_line);
}

}  // namespace heddle::layout::kernel
