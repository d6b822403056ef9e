// layout/kernel/nests.hpp: the code of each kernel of a nest. Compiled once for each instruction
// set.
#pragma once

#include "layout/kernel/plane.hpp"
#include "layout/kernel/transpose.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

inline void transpose_thin(std::byte* to, const std::byte* from, const Dim& t, const Dim& f, Bytes block);

/// The code of a kernel for blocks of B bytes. Null: there is none, and choose_kernel() never
/// returns it.
template <int B>
constexpr NestRun short_run(Kernel kernel) {
  constexpr bool words = B % 4 == 0;
#if defined(__AVX512VBMI__)
  constexpr bool masks = under_mask<B> || B == 4 || B == 8 || B == 16;
  if constexpr (masks) {
    if (kernel == Kernel::packed_under_mask) return plane_under_mask<B, true, false>;
    if (kernel == Kernel::packed_under_mask_ahead) return plane_under_mask<B, true, true>;
    if (kernel == Kernel::unpacked_under_mask) return plane_under_mask<B, false, false>;
    if (kernel == Kernel::unpacked_under_mask_ahead) return plane_under_mask<B, false, true>;
  }
  if constexpr (B > 32 && B < 64 && words)
    if (kernel == Kernel::packed_under_mask) return plane_under_mask<B, true, false>;
  if constexpr (B == 16 || B == 32 || B == 64)
    if (kernel == Kernel::masked) return plane_masked<B>;
  if constexpr (B <= 32) {
    if (kernel == Kernel::windows) return windows<false>;
    if (kernel == Kernel::windows_ahead) return windows<true>;
  }
  if constexpr (B == 4 || B == 8 || B == 16)
    if (kernel == Kernel::streamed) return transpose_registers<B, wide / B, true>;
#endif
  if constexpr (words) {
    if (kernel == Kernel::single) return plane_of<B, Walk::single>;
    if (kernel == Kernel::ahead) return plane_of<B, Walk::far>;
    if (kernel == Kernel::few_stores) return scatter_colliding<B>;
    if (kernel == Kernel::few_loads) return gather_colliding<B>;
    if (kernel == Kernel::staged) return transpose_staged<B>;
  }
  if (kernel == Kernel::copy) return plane_by_library;
  if (kernel == Kernel::unrolled) return plane_of<B, Walk::unrolled>;
  if (kernel == Kernel::squares) return squares_of<B>();
  if (kernel == Kernel::tiles) return transpose_tiles<B>;
  if (kernel == Kernel::thin) return transpose_thin;
  return nullptr;
}

template <int B>
constexpr void add_short_runs(NestRuns& runs) {
  for (std::size_t kernel = 0; kernel < nest_kernels; ++kernel) runs.of[kernel][B] = short_run<B>(static_cast<Kernel>(kernel));
  if constexpr (B < short_block) add_short_runs<B + 1>(runs);
}

constexpr NestRuns short_runs() {
  NestRuns runs;
  add_short_runs<1>(runs);
  return runs;
}
constinit const NestRuns nest_runs = short_runs();

inline __attribute__((always_inline)) NestRun long_run(Kernel kernel, Bytes block) {
  switch (kernel) {
#if defined(__AVX512VBMI__)
    case Kernel::two_vectors:
      return plane_two_vectors<wide / 2, false>;
    case Kernel::two_vectors_masked:
      return block <= wide + wide / 2 ? plane_two_vectors<wide / 2, true> : plane_two_vectors<wide, true>;
#endif
    case Kernel::vectors: {
      constexpr NestRun by_whole_vectors[] = {plane_vectors<1>, plane_vectors<2>, plane_vectors<3>, plane_vectors<4>,
                                              plane_vectors<5>, plane_vectors<6>, plane_vectors<7>};
      return by_whole_vectors[(block - 1) / wide - 1];
    }
    case Kernel::copy:
    case Kernel::library:
      return plane_by_library;
    case Kernel::few_stores:
      return scatter_colliding<128>;
    case Kernel::units:
      return scatter_long<16, 1>;
    case Kernel::units_twice:
      return scatter_long<16, 2>;
    case Kernel::units_double:
      return scatter_long<32, 1>;
    case Kernel::thin:
      return transpose_thin;
    case Kernel::rows:
      return transpose_rows;
    default:
      return plane_any;
  }
}

inline __attribute__((always_inline)) NestRun run_for(const Dim& outer, const Dim& inner, Bytes block, bool disagree) {
  const Kernel kernel = decide_here(outer, inner, block, disagree, this_isa).kernel;
  return block <= short_block ? nest_runs.of[static_cast<int>(kernel)][block] : long_run(kernel, block);
}

// The entries of the table.
inline NestRun long_nest(Kernel kernel, Bytes block) { return long_run(kernel, block); }
inline NestRun nest_for(const Dim& outer, const Dim& inner, Bytes block, bool disagree) {
  return run_for(outer, inner, block, disagree);
}

/// Chooses a kernel for two loops, and runs it. It serves a pass over a few records, or along one
/// side of a transpose.
inline void plane(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block) {
  run_for(outer, inner, block, false)(to, from, outer, inner, block);
}

/// One loop is short: makes pass after pass along the other, in portions that stay in the
/// first-level cache between passes.
inline void transpose_thin(std::byte* to, const std::byte* from, const Dim& t, const Dim& f, Bytes block) {
  constexpr Count portion = 256;
  const bool along_t = f.count <= t.count;
  const Dim &thin = along_t ? f : t, &along = along_t ? t : f;
  for (Count i = 0; i < along.count; i += portion)
    plane(to + i * along.to, from + i * along.from, thin, part(along, along.count - i < portion ? along.count - i : portion),
          block);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
