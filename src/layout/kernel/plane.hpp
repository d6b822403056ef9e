// layout/kernel/plane.hpp: two loops in the order given, one block at a time. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/copy.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

template <int B, bool packed>
void plane_of(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner) {
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

inline void plane(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block) {
#if defined(__AVX512VBMI__)
  if (windows(to, from, outer, inner, block)) return;
#endif
  const bool known = with_block(block, [&]<int B>() {
    if (inner.to == B)
      plane_of<B, true>(to, from, outer, inner);
    else
      plane_of<B, false>(to, from, outer, inner);
  });
  if (known) return;
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from)
    for (Count i = 0; i < inner.count; ++i) copy_any(to + i * inner.to, from + i * inner.from, block);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
