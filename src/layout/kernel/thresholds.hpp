// layout/kernel/thresholds.hpp: the numbers by which packing kernels are chosen (choose.hpp): of a
// machine, and so a part of its profile (select/profile.hpp). What each decides, and which of them
// `heddle tune` measures: docs/kernels.md.
//
//   Thresholds here;                       // the defaults
//   here.memory_from = 1 << 20;            // second-level caches are small
//   use(here);                             // kernels.hpp
#pragma once

#include "layout/bytes.hpp"

namespace heddle::layout::kernel {

struct Thresholds {
  // Where blocks come from, by what lies between the first and the last of them
  Bytes memory_from = 4 << 20;   ///< More comes from memory.
  Bytes inner_cache = 80 << 10;  ///< At most this comes from the first-level cache.
  Count many_lines = 1 << 16;    ///< So many lines of their own come from beyond the second-level cache, whatever the stride.

  // Cache lines that evict each other
  Count ways = 8;                ///< Lines that a set of the first-level cache holds.
  Bytes second_cache = 1 << 20;  ///< Of the second-level cache.

  // Blocks
  Count windows_from = 48;      ///< Blocks in two loops for which byte permutes are worth their preparation.
  Bytes library_from = 512;     ///< Blocks in pages of their own that are left to the C library from here on.
  Bytes tiles_below = 256;      ///< Blocks from here on fill their lines in whatever order they are visited.
  Bytes stream_from = 8 << 20;  ///< Transposes of so many bytes are written past the caches.

  // Lists
  Count list_from = 1 << 17;          ///< Offsets of a list for which it is asked how far they reach,
  Bytes list_memory_from = 16 << 20;  ///< and how far that is for blocks to come from memory.
  Bytes whole_records_from = 256;     ///< Listed records from here on are unpacked one after the other.

  bool operator==(const Thresholds&) const = default;
};

/// A threshold as a profile names it, and what is believed of one.
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

/// Blocks of a row from which on prefetches stay in the row; of shorter ones the next row's blocks are fetched.
constexpr Count long_row = 512;

}  // namespace heddle::layout::kernel
