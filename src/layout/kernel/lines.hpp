// layout/kernel/lines.hpp: on which cache lines the blocks of two loops lie. Inlined always: it is
// compiled for each instruction set, too (table.hpp).
#pragma once

#include "layout/kernel/kernels.hpp"

namespace heddle::layout::kernel {

constexpr Bytes cache_line = 64;
constexpr Count cache_sets = 64;  // of the first level: 32 KiB in 8 ways, 48 KiB in 12

/// Rows of no more lines to a set stay in the second-level cache, and come from there as fast as they can.
constexpr Count lines_kept = 512;

[[gnu::always_inline]] constexpr Bytes magnitude(Bytes a) { return a < 0 ? -a : a; }

[[gnu::always_inline]] constexpr Bytes longer_stride(const Dim& dim) {
  const Bytes to = magnitude(dim.to), from = magnitude(dim.from);
  return to > from ? to : from;
}

/// Of memory between the first byte touched and the last, at most.
[[gnu::always_inline]] constexpr Bytes span_of(const Dim& outer, const Dim& inner) {
  return longer_stride(inner) * inner.count * outer.count;
}

/// Over how many sets a stride spreads the first lines of the blocks of a row; cache_sets if it spreads them well.
[[gnu::always_inline]] constexpr Count sets_met(Bytes stride) {
  const auto bits = static_cast<std::uint64_t>(stride) | static_cast<std::uint64_t>(cache_line * cache_sets);
  return cache_line * cache_sets / static_cast<Count>(bits & (~bits + 1));
}

/// How many sets the blocks of a row share.
[[gnu::always_inline]] constexpr Count sets_shared(Bytes stride, Bytes block) {
  return sets_met(stride) * ((block + cache_line - 1) / cache_line);
}

}  // namespace heddle::layout::kernel
