// layout/kernel/colliding.hpp: rows whose blocks fall into a few sets of the first-level cache. Compiled once for each
// instruction set.
//
// A stride that is a multiple of a large power of two (a column of a matrix with 4096 integers a row) puts all lines into one
// set of 64, which holds 8 to 12 of them. A store fetches its line as soon as it is queued and writes when its turn comes; with
// a hundred stores queued, a line is gone again before its turn, and is fetched twice. The remedy is to have fewer *lines*
// under way: blocks are stored in small units and, where that is too few, several times. A repeated store hits the line that is
// there and costs half a cycle. A hundred loads under way evict each other just as well.
#pragma once

#include "layout/kernel/copy.hpp"
#include "layout/kernel/lines.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

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
  // One load, masked: of two loads of a line, the second may find it gone. And what does not fit the mask waits less.
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

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
