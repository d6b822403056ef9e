// layout/kernel/kernel_table.hpp: the kernels of one instruction set, for dispatch.cpp and
// nest.cpp. Internal to kernel/.
//
// The headers copy, plane, colliding, windows, transpose, nests, offsets and records are compiled
// once for each instruction set (portable.cpp, avx2.cpp, avx512.cpp), each time in a namespace of
// its own. They take plain structs only, and call no inline function of the standard library.
// Otherwise the linker might keep, for all processors, a weak symbol that was compiled for AVX-512.
#pragma once

#include "layout/kernel/colliding_stores.hpp"
#include "layout/kernel/kernel_clauses.hpp"
#include "layout/kernel/ready.hpp"

namespace heddle::layout::kernel {

/// Kernels for a list of blocks. The other side is packed.
template <class Int>
struct OffsetKernels {
  void (*gather)(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block);
  void (*scatter)(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block);
  void (*gather_pieces32)(std::byte* to, const std::byte* from, const Int* offsets, const std::int32_t* lengths, Count n);
  void (*gather_pieces64)(std::byte* to, const std::byte* from, const Int* offsets, const std::int64_t* lengths, Count n);
  void (*scatter_pieces32)(std::byte* to, const std::byte* from, const Int* offsets, const std::int32_t* lengths, Count n);
  void (*scatter_pieces64)(std::byte* to, const std::byte* from, const Int* offsets, const std::int64_t* lengths, Count n);
  void (*gather_records)(std::byte* to, const std::byte* from, const RecordPlan& plan, const Int* offsets, Count n);
  void (*scatter_records)(std::byte* to, const std::byte* from, const RecordPlan& plan, const Int* offsets, Count n);
};

/// Blocks of up to so many bytes have kernels of their own.
constexpr Bytes short_block = 64;

/// The code of every kernel of a nest for short blocks.
struct NestRuns {
  NestRun of[nest_kernels][short_block + 1] = {};  ///< Null: that kernel is never chosen for such blocks.
};

struct Table {
  /// Decides (kernel_clauses.hpp), and looks the code up.
  NestRun (*nest_for)(const Dim& outer, const Dim& inner, Bytes block, bool disagree);
  const NestRuns* nests;
  NestRun (*long_nest)(Kernel kernel, Bytes block);  ///< The code for blocks of more than short_block.
  void (*gather_records)(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride);
  void (*scatter_records)(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride);
  OffsetKernels<std::int32_t> narrow;
  OffsetKernels<std::int64_t> wide;
};

/// The table and the thresholds in use. Nests that were made ready by others are of another
/// generation (ready.hpp).
extern constinit const Table* current;
extern constinit Thresholds current_thresholds;

/// The decision on this processor.
[[gnu::always_inline]] inline Choice decide_here(const Dim& outer, const Dim& inner, Bytes block, bool disagree, Isa isa) {
  const Choice choice = decide(outer, inner, block, disagree, isa, current_thresholds);
  if (choice.because != Because::stores_collide || colliding_stores_pay()) return choice;
  Thresholds plain = current_thresholds;
  plain.ways = Count{1} << 40;
  return decide(outer, inner, block, disagree, isa, plain);
}

extern const Table portable_table;
#if defined(__x86_64__)
extern const Table avx2_table;
extern const Table avx512_table;
#endif

}  // namespace heddle::layout::kernel
