// layout/kernel/plane.hpp: kernels that walk two loops in the given order, one block at a time.
// Compiled once for each instruction set.
#pragma once

#include "layout/kernel/colliding.hpp"
#include "layout/kernel/copy.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

// The fields of the dims are copied to locals one by one. Behind a reference, they might alias
// stores of bytes. A Dim passed by value would be copied by vectors, which stalls if it has just
// been written field by field.

/// The walk over the blocks of a row. A prefetcher follows the stride of one load instruction, and
/// unrolling hides that stride.
enum class Walk { unrolled, single, far };

template <int B, Walk walk>
void plane_of(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from;
  const Count count = inner.count;
  // If rows are short, prefetch the same blocks of the next row.
  [[maybe_unused]] const Bytes ahead_from = count >= long_row ? 64 * from_step : from_row;
  [[maybe_unused]] const Bytes ahead_to = count >= long_row ? 64 * to_step : to_row;
  for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row) {
    std::byte* t = to;
    const std::byte* f = from;
    Count n = count;
    if constexpr (walk != Walk::single)
      for (; n >= 4; n -= 4, t += 4 * to_step, f += 4 * from_step)
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) {
          if constexpr (walk == Walk::far) {
            __builtin_prefetch(f + ahead_from + k * from_step, 0);
            __builtin_prefetch(t + ahead_to + k * to_step, 1);
          }
          copy<B>(t + k * to_step, f + k * from_step);
        }
#pragma GCC unroll 1
    for (; n > 0; --n, t += to_step, f += from_step) copy<B>(t, f);
  }
}

#if defined(__AVX512VBMI__)
/// Moves blocks under a mask, with one side packed. The last blocks of a row are exact copies,
/// unless the next row continues on the packed side.
template <int B, bool packing, bool far>
void plane_under_mask(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes) {
  constexpr Count plain = (whole_move<B> - 1) / B;  // blocks at the end for which a whole move would overrun
  const Bytes to_step = packing ? B : inner.to, from_step = packing ? inner.from : B;
  const Bytes to_row = outer.to, from_row = outer.from;
  const Count count = inner.count, rows = outer.count;
  [[maybe_unused]] const Bytes ahead =
      packing ? (count >= long_row ? 128 * from_step : from_row) : (count >= long_row ? 128 * to_step : to_row);
  const bool goes_on = (packing ? to_row : from_row) == count * B && count > plain;
  const auto one = [](std::byte* t, const std::byte* f) {
    if constexpr (packing)
      copy_spoiling<B>(t, f);
    else
      copy_straying<B>(t, f);
  };
  for (Count j = 0; j < rows; ++j, to += to_row, from += from_row) {
    std::byte* t = to;
    const std::byte* f = from;
    const Count keep = goes_on && j + 1 < rows ? 0 : plain;
    Count n = count;
    for (; n >= keep + 4; n -= 4, t += 4 * to_step, f += 4 * from_step) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        if constexpr (far) __builtin_prefetch((packing ? f + k * from_step : t + k * to_step) + ahead, packing ? 0 : 1);
        one(t + k * to_step, f + k * from_step);
      }
    }
#pragma GCC unroll 1
    for (; n > keep; --n, t += to_step, f += from_step) one(t, f);
#pragma GCC unroll 1
    for (; n > 0; --n, t += to_step, f += from_step) copy<B>(t, f);
  }
}

/// Packs blocks that are whole moves. It is unrolled, because nothing is prefetched here.
template <int B>
void plane_masked(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from;
  const Count count = inner.count;
  const std::uint64_t mask = unknown(mask_of<B>);
  for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row) {
    std::byte* t = to;
    const std::byte* f = from;
    Count n = count;
    for (; n >= 4; n -= 4, t += 4 * to_step, f += 4 * from_step) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) copy_masked<B>(t + k * to_step, f + k * from_step, mask);
    }
#pragma GCC unroll 1
    for (; n > 0; --n, t += to_step, f += from_step) copy_masked<B>(t, f, mask);
  }
}
#endif

/// Moves blocks of K whole vectors and a vector that ends the block.
template <int K>
void plane_vectors(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, const Bytes block) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from, last = block - wide;
  const Count count = inner.count;
  for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row) {
    std::byte* t = to;
    const std::byte* f = from;
    for (Count n = count; n > 0; --n, t += to_step, f += from_step) {
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) copy<wide>(t + k * wide, f + k * wide);
      copy<wide>(t + last, f + last);
    }
  }
}

inline void plane_any(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, const Bytes block) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from;
  const Count count = inner.count;
  for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row)
    for (Count i = 0; i < count; ++i) copy_any(to + i * to_step, from + i * from_step, block);
}

inline void plane_by_library(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, const Bytes block) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from;
  const Count count = inner.count;
  for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row)
    for (Count i = 0; i < count; ++i) __builtin_memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(block));
}

#if defined(__AVX512VBMI__)
/// Moves blocks as a whole vector and, overlapping it, half a vector (blocks of up to one and a
/// half) or a whole one. Each store that crosses a line costs as much as two.
template <int last_part, bool masked>
void plane_two_vectors(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, const Bytes block) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from, last = block - last_part;
  const Count count = inner.count;
  const std::uint64_t mask = unknown(~std::uint64_t{0});
  for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row) {
    std::byte* t = to;
    const std::byte* f = from;
    for (Count n = count; n > 0; --n, t += to_step, f += from_step)
      if constexpr (masked) {
        copy_masked<wide>(t, f, mask);
        copy_masked<last_part>(t + last, f + last, mask);
      } else {
        copy<wide>(t, f);
        copy<last_part>(t + last, f + last);
      }
  }
}
#endif

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
