// layout/kernel/plane.hpp: two loops in the order given, one block at a time. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/copy.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

// Dims are taken by value below: stores of bytes may alias whatever a reference refers to.

template <int B, bool packed>
void plane_of(std::byte* to, const std::byte* from, const Dim outer, const Dim inner) {
  const Bytes to_step = packed ? B : inner.to, from_step = inner.from;
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from) {
    std::byte* t = to;
    const std::byte* f = from;
    Count n = inner.count;
    for (; n >= 4; n -= 4, t += 4 * to_step, f += 4 * from_step) {
      copy<B>(t, f);
      copy<B>(t + to_step, f + from_step);
      copy<B>(t + 2 * to_step, f + 2 * from_step);
      copy<B>(t + 3 * to_step, f + 3 * from_step);
    }
    for (; n > 0; --n, t += to_step, f += from_step) copy<B>(t, f);
  }
}

/// Blocks of K whole vectors and the one that ends the block.
template <int K>
void plane_vectors(std::byte* to, const std::byte* from, const Dim outer, const Dim inner, const Bytes block) {
  const Bytes last = block - wide;
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from) {
    std::byte* t = to;
    const std::byte* f = from;
    for (Count i = 0; i < inner.count; ++i, t += inner.to, f += inner.from) {
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) copy<wide>(t + k * wide, f + k * wide);
      copy<wide>(t + last, f + last);
    }
  }
}

inline void plane_long(std::byte* to, const std::byte* from, const Dim outer, const Dim inner, const Bytes block) {
  switch ((block - 1) / wide) {
    case 1:
      return plane_vectors<1>(to, from, outer, inner, block);
    case 2:
      return plane_vectors<2>(to, from, outer, inner, block);
    case 3:
      return plane_vectors<3>(to, from, outer, inner, block);
    case 4:
      return plane_vectors<4>(to, from, outer, inner, block);
    case 5:
      return plane_vectors<5>(to, from, outer, inner, block);
    case 6:
      return plane_vectors<6>(to, from, outer, inner, block);
    case 7:
      return plane_vectors<7>(to, from, outer, inner, block);
    default:
      break;
  }
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from)
    for (Count i = 0; i < inner.count; ++i) copy_any(to + i * inner.to, from + i * inner.from, block);
}

inline void plane(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block) {
  if (block > 64) return plane_long(to, from, outer, inner, block);
#if defined(__AVX512VBMI__)
  if (block <= 32 && windows(to, from, outer, inner, block)) return;
#endif
  with_block(block, [&]<int B>() {
    if (inner.to == B)
      plane_of<B, true>(to, from, outer, inner);
    else
      plane_of<B, false>(to, from, outer, inner);
  });
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
