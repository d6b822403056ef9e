// layout/kernel/plane.hpp: two loops in the order given, one block at a time. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/colliding.hpp"
#include "layout/kernel/copy.hpp"
#include "layout/kernel/reach.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

// The fields of the dims are copied to locals one by one: stores of bytes may alias what a reference refers to, and a Dim
// passed by value is copied by vectors, which stalls when it has just been written field by field.

/// How the blocks of a row are walked. Zen 5's prefetcher follows the stride of one load instruction and unrolling hides it:
/// 24 of 192 bytes from the L2 cache at 70 GB/s single and 51 unrolled; from the L1 cache 84 and 89; 64 of 512 bytes from
/// memory at 20 single, 26 unrolled, 28 with prefetches 64 blocks ahead as well.
enum class Walk { unrolled, single, far };
constexpr Count long_row = 512;

template <int B, Walk walk>
void plane_of(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes) {
  const Bytes to_step = inner.to, from_step = inner.from, to_row = outer.to, from_row = outer.from;
  const Count count = inner.count;
  // The same blocks of the next row, when rows are short.
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
/// Blocks moved under a mask, one side of which is packed: all but the last of a row are moved in one go, and those too where
/// the next row goes on in the packed side.
template <int B, bool packing, bool far>
void plane_under_mask(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes) {
  constexpr Count plain = (whole_move<B> - 1) / B;  // blocks at the end that a whole move would overrun
  const Bytes to_step = packing ? B : inner.to, from_step = packing ? inner.from : B;
  const Bytes to_row = outer.to, from_row = outer.from;
  const Count count = inner.count, rows = outer.count;
  // 4 MiB from memory, ns a block, not prefetched → 64 → 128 ahead: packed 4 of 32 bytes 1.04 → 0.83 → 0.76, 12 of 96 2.67
  // → 1.78 → 1.53, 16 of 128 2.08 → 1.61 → 1.46; unpacked 12 of 48 1.0 → 0.73 → 0.70.
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

/// Packs blocks that are whole moves. Unrolled: nothing is prefetched anyway.
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

inline Walk walk_of(const Dim& outer, const Dim& inner, Bytes block) {
  const Bytes stride = longer_stride(inner), span = span_of(outer, inner);
  if (span > nearby && inner.count >= 8) {
    // Farther apart, a few of them are in the L2 cache after all: 64² blocks of 8 in rows of 1040 bytes, 256 KiB of lines in a
    // span of 4 MiB, take 0.44 ns each with prefetches and 0.28 without. Where most of the memory is packed, the processor's
    // own prefetches do.
    const bool sparse = stride >= 128 || (stride >= 32 && 2 * block < stride);
    if (sparse && (stride <= 512 || many_lines(outer, inner)) && (inner.count >= long_row || outer.count > 1)) return Walk::far;
  }
  if (stride < 64 || block % 4 != 0) return Walk::unrolled;
  if (stride < 128 || span <= 80 << 10) return stride >= 512 ? Walk::single : Walk::unrolled;
  return Walk::single;
}

/// Blocks of K whole vectors and the one that ends the block.
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

/// From memory and in pages of their own, blocks of 512 bytes and more are left to the C library, which begins with the last
/// lines of each: 4096 of 1024 in 8192 bytes packed at 47 → 52 GB/s.
inline bool left_to_library(const Dim& outer, const Dim& inner, Bytes block) {
  constexpr Bytes page = 4096;
  return block >= 512 && longer_stride(inner) >= page && span_of(outer, inner) > nearby;
}

#if defined(__AVX512VBMI__)
/// A whole vector and, overlapping it, half of one (blocks of up to one and a half) or a whole one. Each store that crosses a
/// line costs two: 76 of 108 bytes from the L1 cache 0.58 ns, with two whole ones 0.71.
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

inline NestKernel plane_long(const Dim& outer, const Dim& inner, const Bytes block) {
#if defined(__AVX512VBMI__)
  const bool packing = inner.from > block && span_of(outer, inner) <= nearby;  // from memory the processor's prefetches help
  if (block <= wide + wide / 2) return packing ? plane_two_vectors<wide / 2, true> : plane_two_vectors<wide / 2, false>;
  if (block <= 2 * wide && packing) return plane_two_vectors<wide, true>;
#endif
  if (left_to_library(outer, inner, block)) return plane_by_library;
  switch ((block - 1) / wide) {
    case 1:
      return plane_vectors<1>;
    case 2:
      return plane_vectors<2>;
    case 3:
      return plane_vectors<3>;
    case 4:
      return plane_vectors<4>;
    case 5:
      return plane_vectors<5>;
    case 6:
      return plane_vectors<6>;
    case 7:
      return plane_vectors<7>;
    default:
      return plane_any;
  }
}

/// The kernel of a plane: a question asked once where the same plane is walked again and again.
inline NestKernel plane_for(const Dim& outer, const Dim& inner, Bytes block) {
  if (!many_lines(outer, inner))
    if (const NestKernel kernel = colliding(inner, block)) return kernel;
  if (block > 64) return plane_long(outer, inner, block);
#if defined(__AVX512VBMI__)
  if (windows_win(outer, inner, block)) return span_of(outer, inner) > nearby ? windows<true> : windows<false>;
#endif
  const Walk walk = walk_of(outer, inner, block);
  [[maybe_unused]] const bool near = span_of(outer, inner) <= nearby;
  NestKernel kernel = nullptr;
  with_block(block, [&]<int B>() {
#if defined(__AVX512VBMI__)
    // Of 4 and of 8 bytes what comes from the L2 cache: 0.5 ns a block one by one, 0.36 unrolled, 0.3 under a mask. And what
    // comes from memory, with prefetches on the side that is not packed.
    if constexpr (under_mask<B> || B == 4 || B == 8 || B == 16) {
      const bool one_packed = inner.to == B || inner.from == B;
      if (one_packed && (under_mask<B> || walk == Walk::far || (B != 16 && walk == Walk::single))) {
        const bool packing = inner.to == B, far = walk == Walk::far;
        kernel = packing ? (far ? plane_under_mask<B, true, true> : plane_under_mask<B, true, false>)
                         : (far ? plane_under_mask<B, false, true> : plane_under_mask<B, false, false>);
        return;
      }
    }
    if constexpr (B == 16 || B == 32 || B == 64)
      if (near && inner.from >= cache_line && inner.from > inner.to) {
        kernel = plane_masked<B>;
        return;
      }
    // Where every block is in a page of its own, whole moves that cross into the next line or page cost more than they save.
    if constexpr (B > 32 && B < 64 && B % 4 == 0)
      if (near && walk == Walk::single && inner.to == B && inner.from > B && inner.from <= 2048) {
        kernel = plane_under_mask<B, true, false>;
        return;
      }
#endif
    kernel = plane_of<B, Walk::unrolled>;
    if constexpr (B % 4 == 0) {
      if (walk == Walk::far) kernel = plane_of<B, Walk::far>;
      if (walk == Walk::single) kernel = plane_of<B, Walk::single>;
    }
  });
  return kernel;
}

inline void plane(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block) {
  plane_for(outer, inner, block)(to, from, outer, inner, block);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
