// layout/kernel/colliding.hpp: kernels for rows whose blocks fall into a few sets of the
// first-level cache. Compiled once for each instruction set.
//
// A stride that is a multiple of a large power of two puts all lines into one of 64 sets, which
// holds 8 to 12 lines. An example is a column of a matrix with 4096 integers a row. A store fetches
// its line as soon as it is queued, and writes when its turn comes. With a hundred stores queued, a
// line is evicted before its turn, and is fetched twice. So the kernels keep fewer *lines* under
// way: they store blocks in small units and, if that is not enough, several times. A repeated store
// hits a line in the cache and costs half a cycle. A hundred loads under way evict each other, too.
#pragma once

#include "layout/kernel/cache_lines.hpp"
#include "layout/kernel/copy.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

/// Number of stores for a line, so that the stores in the queue touch no more lines than the sets
/// hold.
inline Count stores_wanted(Count sets) { return sets == 1 ? 14 : sets == 2 ? 10 : 4; }

/// Keeps the compiler from dropping a store that the next one repeats.
inline void done(std::byte* to) { asm volatile("" ::"r"(to) : "memory"); }

/// Stores each block of B bytes `times` times, in units of U bytes.
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

/// Stores a block of B bytes several times.
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
  // One load under a mask: with two loads of a line, the line may be gone before the second. Blocks
  // that fit a mask then need fewer repetitions.
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
      constexpr Count plain = (whole_move<B> - 1) / B;  // the next blocks overwrite the excess of a store
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

/// Stores a block of more than a line in units of U bytes. The last unit may overlap the one
/// before.
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

/// Stores blocks of several lines, each `times` times.
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

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
