// layout/kernel/thresholds.hpp: the numbers that decide between packing kernels
// (choose_kernel.hpp). They are a part of a machine's profile (select/profile.hpp). docs/kernels.md
// describes each, and names those that `heddle tune` measures.
//
//   Thresholds here;                       // the defaults
//   here.memory_from = 1 << 20;            // for small second-level caches
//   use(here);                             // kernels.hpp
#pragma once

#include "layout/bytes.hpp"

namespace heddle::layout::kernel {

struct Thresholds {
  // The source of blocks, by the span of memory from the first block to the last
  Bytes memory_from = 4 << 20;   ///< A larger span comes from memory.
  Bytes inner_cache = 80 << 10;  ///< A smaller span comes from the first-level cache.
  Count many_lines = 1 << 16;    ///< So many blocks, each on its own lines, come from beyond the second-level cache.

  // Cache lines that evict each other
  Count ways = 8;                ///< Lines that a set of the first-level cache holds.
  Bytes second_cache = 1 << 20;  ///< Size of the second-level cache.

  // Blocks
  Count windows_from = 48;      ///< From so many blocks in two loops on, byte permutes are worth their preparation.
  Bytes library_from = 512;     ///< From this length on, the C library copies blocks in pages of their own.
  Bytes tiles_below = 256;      ///< From this length on, blocks fill their lines in any order of visits.
  Bytes stream_from = 8 << 20;  ///< From this size on, transposes are written past the caches.

  // Lists
  Count list_from = 1 << 17;          ///< From so many offsets on, the reach of a list counts.
  Bytes list_memory_from = 16 << 20;  ///< A longer reach means that blocks come from memory.
  Bytes whole_records_from = 256;     ///< From this size on, listed records are unpacked one after the other.

  bool operator==(const Thresholds&) const = default;
};

/// A threshold: its name in a profile, and the range of plausible values.
struct ThresholdEntry {
  const char* name;
  Bytes Thresholds::*value;
  Bytes least, most;
};
constexpr ThresholdEntry threshold_table[] = {
    {"memory_from_bytes", &Thresholds::memory_from, 16 << 10, Bytes{1} << 40},
    {"inner_cache_bytes", &Thresholds::inner_cache, 1 << 10, Bytes{1} << 30},
    {"many_lines", &Thresholds::many_lines, 1 << 8, Bytes{1} << 40},
    {"ways_of_first_cache", &Thresholds::ways, 1, 1 << 10},
    {"second_cache_bytes", &Thresholds::second_cache, 16 << 10, Bytes{1} << 40},
    {"windows_from_blocks", &Thresholds::windows_from, 8, Bytes{1} << 40},
    {"library_from_bytes", &Thresholds::library_from, 65, Bytes{1} << 40},
    {"tiles_below_bytes", &Thresholds::tiles_below, 1, 1 << 20},
    {"stream_from_bytes", &Thresholds::stream_from, 64 << 10, Bytes{1} << 40},
    {"list_from_blocks", &Thresholds::list_from, 128, Bytes{1} << 40},
    {"list_memory_from_bytes", &Thresholds::list_memory_from, 16 << 10, Bytes{1} << 40},
    {"whole_records_from_bytes", &Thresholds::whole_records_from, 1, Bytes{1} << 40},
};

/// Prefetches stay within rows of at least so many blocks. If rows are shorter, prefetches fetch
/// blocks of the next row.
constexpr Count long_row = 512;

}  // namespace heddle::layout::kernel
