// layout/kernel/choose_kernel.hpp: chooses a kernel, and gives the reason (kernel_clauses.hpp has
// the clauses). The choice depends only on its arguments: no clock, no globals, no look at the
// data.
//
//   const NestFacts facts{{1, 0, 0}, {1024, 8, 64}, 8, false, isa()};          // a column packed
//   const Choice choice = choose_kernel(facts.outer, facts.inner, facts.block, facts.disagree, facts.isa, thresholds());
//   describe(choice.kernel).name                                                // "under a mask"
//   why(facts, choice, thresholds())                                            // the same in words, with the numbers
//
// docs/kernels.md shows each kernel. Some kernels check one more thing when they run: the begin of
// memory is no property of a type.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "layout/kernel/kernels.hpp"
#include "layout/kernel/thresholds.hpp"

namespace heddle::layout::kernel {

enum class Kernel : std::uint8_t {
  // Two loops around a block, in the order given
  copy,                     // no loops
  unrolled,                 // plain moves, four at a time
  single,                   // one at a time
  ahead,                    // four at a time, and prefetches
  masked,                   // whole moves, loaded under a mask
  packed_under_mask,        // read under a mask, stored in whole moves
  packed_under_mask_ahead,  //
  unpacked_under_mask,      // read in whole moves, stored under a mask
  unpacked_under_mask_ahead,
  windows,  // several blocks by one permute of bytes
  windows_ahead,
  two_vectors,  // 65 to 128 bytes
  two_vectors_masked,
  vectors,       // a few vectors, and one that ends the block
  long_blocks,   // a loop of vectors
  library,       // the C library
  few_stores,    // if lines evict each other at the destination: small stores, repeated
  few_loads,     // if lines evict each other at the source
  units,         // if blocks of several lines evict each other: units of 16 bytes
  units_twice,   // units of 16 bytes, each block twice
  units_double,  // units of 32 bytes
  // Two loops that disagree about the order
  thin,      // one loop is short: pass after pass
  squares,   // transposed in registers
  streamed,  // as squares, past the caches
  staged,    // through a buffer in the first-level cache, then past the caches
  tiles,     // loops over 8 × 8 blocks
  rows,      // longer blocks, row after row
  // Lists of blocks
  listed,
  listed_ahead,
  listed_lanes,  // four at a time into one vector
  listed_under_mask,
  listed_long,
  // Lists of pieces of different lengths
  pieces_16,  // 16 bytes for each piece of any length
  pieces_32,
  pieces_64,
  pieces_any,
  // Records
  record_windows,  // several records by one permute
  record_windows_ahead,
  record_steps,   // each record by permutes
  record_fields,  // field by field
  record_whole,   // record by record
};
constexpr std::size_t nest_kernels = static_cast<std::size_t>(Kernel::rows) + 1;
constexpr std::size_t all_kernels = static_cast<std::size_t>(Kernel::record_whole) + 1;

struct Description {
  const char* name;
  const char* description;
};
const Description& describe(Kernel kernel) noexcept;

/// The clause that decided.
enum class Because : std::uint8_t {
  one_piece,
  stores_collide,
  loads_collide,
  pages_collide,
  short_vectors,
  own_pages,
  few_vectors,
  many_vectors,
  neighbours,
  odd_length,
  from_memory,
  on_many_lines,
  close,
  near,
  from_second_cache,
  one_side_packed,
  lines_unwanted,
  short_loop,
  large_transpose,
  whole_elements,
  other_elements,
  long_elements,
  far_list,
  lanes,
  long_list_blocks,
  plain_list,
  longest_piece,
  window_of_records,
  permutes,
  no_permutes,
  long_records,
};

struct Choice {
  Kernel kernel;
  Because because;
  bool operator==(const Choice&) const = default;
};

/// Two loops around a block. `disagree`: a transpose, where outer has the smaller stride at the
/// destination, and inner at the source. Otherwise inner has the smaller strides.
struct NestFacts {
  Dim outer, inner;
  Bytes block;
  bool disagree;
  Isa isa;
};
Choice choose_kernel(const Dim& outer, const Dim& inner, Bytes block, bool disagree, Isa isa, const Thresholds& by) noexcept;

/// The decision of nest() for these arguments on this machine: its innermost two loops, their
/// kernel, and the number of loops around them.
struct Chosen {
  NestFacts facts;
  Choice choice;
  std::size_t loops_around;
};
std::optional<Chosen> chosen(std::span<const Dim> dims, Bytes block);  ///< Empty if there are no bytes.

/// True if two loops that disagree are visited in tiles.
inline bool in_tiles(Bytes block, const Thresholds& by) noexcept { return block < by.tiles_below; }

/// Blocks of one length at listed offsets.
struct ListFacts {
  Count blocks;
  Bytes block;
  Bytes reach;  ///< Approximate span in memory; 0 if no clause needs it.
  Direction direction;
  Isa isa;
};
ListFacts facts_of(const std::int32_t* offsets, Count blocks, Bytes block, Direction direction, Isa isa, const Thresholds& by);
ListFacts facts_of(const std::int64_t* offsets, Count blocks, Bytes block, Direction direction, Isa isa, const Thresholds& by);
Choice choose_kernel(const ListFacts& facts, const Thresholds& by) noexcept;

/// Pieces of different lengths.
struct PiecesFacts {
  Bytes longest;
  Direction direction;
  Isa isa;
};
Choice choose_kernel(const PiecesFacts& facts) noexcept;

/// Records at a constant stride, or at listed offsets.
struct RecordFacts {
  Count count;
  Bytes stride;
  bool listed;
  Bytes size;    ///< Packed.
  Bytes span;    ///< In memory.
  Count steps;   ///< Permutes and copies of a record (repeated_pieces.hpp).
  bool permute;  ///< The first step is a permute out of one window.
  Direction direction;
  Isa isa;
};
RecordFacts facts_of(const Record& record, Count count, Bytes stride, bool listed, Direction direction, Isa isa);
Choice choose_kernel(const RecordFacts& facts, const Thresholds& by) noexcept;

/// The reason in one sentence, with the numbers that decided.
std::string why(const NestFacts& facts, Choice choice, const Thresholds& by);
std::string why(const ListFacts& facts, Choice choice, const Thresholds& by);
std::string why(const PiecesFacts& facts, Choice choice);
std::string why(const RecordFacts& facts, Choice choice, const Thresholds& by);

/// Bytes of the widest move of an instruction set.
constexpr Bytes widest_move(Isa isa) noexcept { return isa == Isa::avx512 ? 64 : isa == Isa::avx2 ? 32 : 16; }

}  // namespace heddle::layout::kernel
