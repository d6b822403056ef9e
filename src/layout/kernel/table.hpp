// layout/kernel/table.hpp: what one instruction set offers to dispatch.cpp and nest.cpp. Internal to kernel/.
//
// The files copy, reach, plane, colliding, windows, transpose, offsets and records (.hpp) are compiled once for each
// instruction set (portable.cpp, avx2.cpp, avx512.cpp), each time in a namespace of its own. They take plain structs only and
// call nothing inline of the standard library: a weak symbol compiled with AVX-512 could otherwise be the one the linker keeps
// for all.
//
// Why not another way of dispatch, measured on Zen 5 with the 8 × 8 tile of 8-byte elements, GB/s at 64² and 256²: this 88 and
// 68; Highway 1.0.3 88 and 70, as fast, so no reason for one more dependency; gcc's target_clones 79 and 49 (it cannot inline
// across the clone).
#pragma once

#include "layout/kernel/ready.hpp"

namespace heddle::layout::kernel {

/// Two loops around a block: what a nest ends in.
using NestKernel = void (*)(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block);

/// A list of blocks, as gather and scatter see it; the other side is packed.
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

struct Table {
  /// The kernel for two loops in the order given; `inner` has the smaller strides.
  NestKernel (*plane_for)(const Dim& outer, const Dim& inner, Bytes block);
  /// Two loops that disagree: `fast_to` has the smaller stride at the destination, `fast_from` at the source.
  NestKernel transpose;
  void (*gather_records)(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride);
  void (*scatter_records)(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride);
  OffsetKernels<std::int32_t> narrow;
  OffsetKernels<std::int64_t> wide;
};

extern const Table portable_table;
#if defined(__x86_64__)
extern const Table avx2_table;
extern const Table avx512_table;
#endif

}  // namespace heddle::layout::kernel
