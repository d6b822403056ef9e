// layout/kernel/colliding.hpp: rows whose blocks fall into a few sets of the first-level cache. Compiled once for each
// instruction set.
//
// A stride that is a multiple of a large power of two (a column of a matrix with 4096 integers a row) puts all lines into one
// set of 64, which holds 8 to 12 of them. A store fetches its line as soon as it is queued and writes when its turn comes; with
// a hundred stores queued, a line is gone again before its turn, and is fetched twice. The remedy is to have fewer *lines*
// under way: blocks are stored in small units and, where that is too few, several times. A repeated store hits the line that is
// there and costs half a cycle. Zen 5, ns a block, plain → this way (the columns of a matrix of three doubles, n = 1024 and
// 4096):
//   unpack 24 of 24576 bytes 7.9 → 3.6, 24 of 98304 bytes 12 → 3.7; 32 of 16384 bytes 6.7 → 1.7; 8 of 2048 bytes 5.4 → 1.3
//   pack   24 of 98304 bytes 6.5 → 4.0 (a hundred loads under way evict each other just as well)
#pragma once

#include "layout/kernel/copy.hpp"
#include "layout/kernel/reach.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

constexpr Count cache_sets = 64;  // of the first level: 32 KiB in 8 ways, 48 KiB in 12
constexpr Count cache_ways = 8;

/// Over how many sets a stride spreads the first lines of the blocks of a row; cache_sets if it spreads them well.
inline Count sets_met(Bytes stride) {
  const auto bits = static_cast<std::uint64_t>(stride) | static_cast<std::uint64_t>(cache_line * cache_sets);
  return cache_line * cache_sets / static_cast<Count>(bits & (~bits + 1));
}

/// How many sets the blocks of a row share.
inline Count sets_shared(Bytes stride, Bytes block) { return sets_met(stride) * ((block + cache_line - 1) / cache_line); }

/// Blocks of several lines are worth it from 11 lines in a set on: 12 blocks of 256 in 8192 bytes 4.1 → 3.2 ns, 32 of them
/// 9.5 → 2.9, but 10 of them 2.0 → 3.2. Of two lines, which are stored twice, from 13: 12 of 96 in 4096 bytes 2.1 → 3.3.
inline bool collides(Bytes stride, Count count, Bytes block) {
  if (stride % 512 != 0) return false;  // the common case, in one test
  const Count ways = block <= cache_line ? cache_ways : block <= 2 * cache_line ? cache_ways + 4 : cache_ways + 2;
  return sets_shared(stride, block) <= (block <= 16 ? 8 : 4) && count > ways * sets_met(stride);
}

/// Rows of no more lines to a set stay in the second-level cache, and come from there as fast as they can.
constexpr Count lines_kept = 512;

/// Longer blocks at strides of whole pages gain a little: 128 of 512 bytes in 16384 unpacked at 56 → 64 GB/s.
inline bool collides_in_pages(Bytes stride, Count count, Bytes block) {
  return stride % (cache_line * cache_sets) == 0 && block > 4 * cache_line && block <= 512 && count > cache_ways + 2 &&
         count <= lines_kept;
}

/// From memory, what matters is that the prefetcher sees one load instruction follow the stride, as far as it does, within
/// pages: 65536 blocks of 24 in 3072 bytes 9.6 → 5.9 ns without repeated stores, 8 in 4096 bytes 11 → 20.
inline bool comes_by_itself(Bytes stride, Count count) {
  constexpr Count second_level = (1 << 20) / cache_line;
  constexpr Bytes page = 4096;
  return count > second_level && stride < page && stride > -page;
}

/// Stores that a line should get, so that those in the queue touch no more lines than fit.
inline Count stores_wanted(Count sets) { return sets == 1 ? 14 : sets == 2 ? 10 : 4; }

/// Keeps the compiler from leaving a store out because the next one repeats it.
inline void done(std::byte* to) { asm volatile("" ::"r"(to) : "memory"); }

/// A block of B bytes in units of U, the whole several times.
template <int B, int U>
void scatter_colliding(std::byte* to, const std::byte* from, const Dim outer, const Dim inner, const Count times) {
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from) {
    std::byte* t = to;
    const std::byte* f = from;
#pragma GCC unroll 1
    for (Count i = 0; i < inner.count; ++i, t += inner.to, f += inner.from) {
      struct {
        std::byte bytes[U];
      } units[B / U];
      __builtin_memcpy(units, f, B);
#pragma GCC unroll 1
      for (Count again = 0; again < times; ++again)
#pragma GCC unroll 16
        for (int u = 0; u < B / U; ++u) {
          __builtin_memcpy(t + u * U, units + u, U);
          done(t + u * U);
        }
    }
  }
}

/// A block of B bytes, stored several times.
template <int B>
inline void gather_exactly(std::byte* to, const std::byte* from, const int times) {
  struct {
    std::byte bytes[B];
  } value;
  __builtin_memcpy(&value, from, B);
  for (int again = 0; again < times; ++again) {
    __builtin_memcpy(to, &value, B);
    done(to);
  }
}

template <int B>
void gather_colliding(std::byte* to, const std::byte* from, const Dim& outer_dim, const Dim& inner_dim, Bytes) {
  const Dim outer = outer_dim, inner = inner_dim;
  const Count sets = sets_shared(inner.from, B);
  const bool kept = inner.count * outer.count <= lines_kept * sets;
  const int times = kept ? 1 : sets == 1 ? 6 : sets <= 4 ? 4 : 2;
#if defined(__AVX512VBMI__)
  // One load, masked: of two loads of a line, the second may find it gone. And what does not fit the mask waits less: 8 of 512
  // bytes 0.91 → 0.72 ns, 12 of 1024 1.41 → 1.25.
  constexpr bool masked = under_mask<B> || B == 4 || B == 8 || B == 16 || B == 32;
  const std::uint64_t mask = unknown(mask_of<B>);
  const int times_masked = sets >= 4 && times > 2 ? 2 : times;
#endif
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from) {
    std::byte* t = to;
    const std::byte* f = from;
    Count n = inner.count;
#if defined(__AVX512VBMI__)
    if constexpr (masked) {
      constexpr Count plain = (whole_move<B> - 1) / B;  // what a store spoils comes next
      if (inner.to == B)
        for (; n > plain; --n, t += B, f += inner.from) {
          const auto value = load_masked<B>(f, mask);
          for (int again = 0; again < times_masked; ++again) {
            __builtin_memcpy(t, &value, sizeof value);
            done(t);
          }
        }
    }
#endif
#pragma GCC unroll 1
    for (; n > 0; --n, t += inner.to, f += inner.from) gather_exactly<B>(t, f, times);
  }
}

template <int B>
void scatter_colliding(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes) {
  constexpr int unit = B % 8 != 0 ? 4 : B <= cache_line ? 8 : 16;
  constexpr int stores = (B < cache_line ? B : int{cache_line}) / unit;
  const Count wanted = stores_wanted(sets_shared(inner.to, B));
  scatter_colliding<B, unit>(to, from, outer, inner, wanted >= 2 * stores ? wanted / stores : 1);
}

/// A block of more than a line in units of U, the last of which may overlap the one before it.
template <int U>
inline void scatter_units(std::byte* to, const std::byte* from, Bytes block) {
  Bytes at = 0;
  for (; at + cache_line <= block; at += cache_line)
#pragma GCC unroll 4
    for (int u = 0; u < cache_line; u += U) {
      copy<U>(to + at + u, from + at + u);
      done(to + at + u);
    }
  for (; at + U <= block; at += U) {
    copy<U>(to + at, from + at);
    done(to + at);
  }
  if (block % U != 0) copy<U>(to + block - U, from + block - U);
}

/// Blocks of several lines, each stored `times` over.
template <int U, int times>
void scatter_long(std::byte* to, const std::byte* from, const Dim& outer_dim, const Dim& inner_dim, Bytes block) {
  const Dim outer = outer_dim, inner = inner_dim;
  for (Count j = 0; j < outer.count; ++j, to += outer.to, from += outer.from) {
    std::byte* t = to;
    const std::byte* f = from;
    for (Count i = 0; i < inner.count; ++i, t += inner.to, f += inner.from)
      for (int again = 0; again < times; ++again) scatter_units<U>(t, f, block);
  }
}

/// Of blocks of more than a line; null if they do not collide.
inline NestKernel colliding_lines(const Dim& inner, Bytes block) {
  if (inner.to == block) return nullptr;
  if (collides_in_pages(inner.to, inner.count, block)) return scatter_long<32, 1>;
  if (!collides(inner.to, inner.count, block)) return nullptr;
  if (block == 128) return scatter_colliding<128>;  // 59 GB/s, as one of any length 38
  return sets_shared(inner.to, block) <= 2 ? scatter_long<16, 2> : scatter_long<16, 1>;
}

/// The kernel of a plane whose rows collide; null if they do not.
inline NestKernel colliding(const Dim& inner, Bytes block) {
  if (block > cache_line) return colliding_lines(inner, block);
  if (block % 4 != 0) return nullptr;
  NestKernel kernel = nullptr;
  if (inner.to != block && collides(inner.to, inner.count, block)) {
    with_block(block, [&]<int B>() {
      if constexpr (B % 4 == 0) kernel = scatter_colliding<B>;
    });
  } else if (inner.from != block && collides(inner.from, inner.count, block) && !comes_by_itself(inner.from, inner.count)) {
    with_block(block, [&]<int B>() {
      if constexpr (B % 4 == 0) kernel = gather_colliding<B>;
    });
  }
  return kernel;
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
