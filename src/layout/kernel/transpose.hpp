// layout/kernel/transpose.hpp: kernels for two loops that disagree about the order, in tiles.
// Compiled once for each instruction set.
//
//   source rows (fast_from runs along them)        destination rows (fast_to runs along them)
//     a b c d ...                                    a e i m
//     e f g h                  n × n tile            b f j n
//     i j k l           in registers (Eklundh)       c g k o
//     m n o p                                        d h l p
#pragma once

#include "layout/kernel/plane.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

template <int E>
struct Lane;
template <>
struct Lane<1> {
  using type = std::uint8_t;
};
template <>
struct Lane<2> {
  using type = std::uint16_t;
};
template <>
struct Lane<4> {
  using type = std::uint32_t;
};
template <>
struct Lane<8> {
  using type = std::uint64_t;
};
template <>
struct Lane<16> {
  using type = std::uint64_t;
};

/// A vector register with a row of N elements of E bytes.
template <int E, int N>
struct Row {
  using Element = typename Lane<E>::type;
  typedef Element type __attribute__((vector_size(E * N)));
};

template <int... I>
struct Lanes {};
template <int N, int... I>
struct MakeLanes : MakeLanes<N - 1, N - 1, I...> {};
template <int... I>
struct MakeLanes<0, I...> {
  using type = Lanes<I...>;
};

/// The source of lane k of the upper (or lower) row when blocks of `s` elements are swapped. An
/// element has w lanes.
template <int n, int w, bool lower>
constexpr int swapped(int k, int s) {
  const int element = k / w, lane = k % w;
  const int lanes = n * w;
  if (lower) return element & s ? lanes + k : (element + s) * w + lane;
  return element & s ? lanes + (element - s) * w + lane : k;
}

template <int S, int N, int W, class V, int... K>
inline __attribute__((always_inline)) void swap_blocks(V& a, V& b, Lanes<K...>) {
  const V upper = __builtin_shufflevector(a, b, swapped<N, W, false>(K, S)...);
  b = __builtin_shufflevector(a, b, swapped<N, W, true>(K, S)...);
  a = upper;
}

template <int S, int N, int W, class V>
inline __attribute__((always_inline)) void stages(V (&rows)[N]) {
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i)
    if (!(i & S)) swap_blocks<S, N, W>(rows[i], rows[i + S], typename MakeLanes<N * W>::type{});
  if constexpr (S < N / 2) stages<S * 2, N, W>(rows);
}

/// Keeps the compiler from reading the row again as a shuffle's operand in memory. So a line that
/// is on its way from the second-level cache is requested once.
template <class V>
inline __attribute__((always_inline)) void read_once(V& row) {
#if defined(__x86_64__)
  asm("" : "+v"(row));
#else
  (void)row;
#endif
}

/// Transposes an N × N tile of E-byte elements. To stream past the caches, every row must be an
/// aligned line.
template <int E, int N, bool streaming>
inline __attribute__((always_inline)) void tile(std::byte* to, const std::byte* from, Bytes to_row, Bytes from_row) {
  using V = typename Row<E, N>::type;
  V rows[N];
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i) __builtin_memcpy(&rows[i], from + i * from_row, sizeof(V));
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i) read_once(rows[i]);
  stages<1, N, E == 16 ? 2 : 1>(rows);
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i)
    if constexpr (streaming && sizeof(V) == wide)
      stream(to + i * to_row, reinterpret_cast<const std::byte*>(&rows[i]));
    else
      __builtin_memcpy(to + i * to_row, &rows[i], sizeof(V));
}

/// Moves a box of the nest by plain loops: rims, and elements without a register tile.
template <int B>
inline void box(std::byte* to, const std::byte* from, const Dim t, const Dim f, Count t_count, Count f_count) {
  for (Count j = 0; j < f_count; ++j)
    for (Count i = 0; i < t_count; ++i) copy<B>(to + j * f.to + i * t.to, from + j * f.from + i * t.from);
}

/// Like box(), for T × F blocks, unrolled.
template <int B, int T, int F>
inline void fixed_box(std::byte* to, const std::byte* from, const Dim t, const Dim f) {
#if defined(__AVX512VBMI__)
  if constexpr (under_mask<B>)
    if (t.to == B) {
      constexpr int plain = (whole_move<B> - 1) / B;
      for (int j = 0; j < F; ++j, to += f.to, from += f.from) {
#pragma GCC unroll 8
        for (int i = 0; i < T - plain; ++i) copy_spoiling<B>(to + i * B, from + i * t.from);
#pragma GCC unroll 8
        for (int i = T - plain; i < T; ++i) copy<B>(to + i * B, from + i * t.from);
      }
      return;
    }
#endif
  for (int j = 0; j < F; ++j, to += f.to, from += f.from)
#pragma GCC unroll 8
    for (int i = 0; i < T; ++i) copy<B>(to + i * t.to, from + i * t.from);
}

/// The number of blocks to skip until all destination rows start a cache line; -1 if there is none.
inline Count until_line(const std::byte* to, const Dim& t, const Dim& f) {
  if (f.to % 64 != 0) return -1;
  for (Count i = 0; i < 64 && i < t.count; ++i)
    if ((reinterpret_cast<std::uintptr_t>(to) + static_cast<std::uintptr_t>(i * t.to)) % 64 == 0) return i;
  return -1;
}

inline Dim part(const Dim& dim, Count count) { return {count, dim.to, dim.from}; }

/// Transposes squares of N × N elements. `streaming`: rows are stored past the caches, as whole
/// lines, unless no row can begin on a line.
template <int E, int N, bool streaming>
void transpose_registers(std::byte* to, const std::byte* from, const Dim& t_dim, const Dim& f_dim, Bytes) {
  Dim t = t_dim;
  const Dim f = f_dim;
  Count skip = until_line(to, t, f);
  if (skip > 0 && t.count >= 4 * N) {
    box<E>(to, from, t, f, skip, f.count);
    to += skip * E;
    from += skip * t.from;
    t.count -= skip;
    skip = 0;
  }
  const Count t_whole = t.count / N * N, f_whole = f.count / N * N;
  if (streaming && skip == 0) {
    // Visit squares along source rows first: that helps the prefetcher, and the order does not
    // matter to streamed stores.
    constexpr Count macro = 32;
    for (Count j0 = 0; j0 < f_whole; j0 += macro)
      for (Count i = 0; i < t_whole; i += N)
        for (Count j = j0; j < j0 + macro && j < f_whole; j += N)
          tile<E, N, true>(to + j * f.to + i * E, from + i * t.from + j * E, f.to, t.from);
    stream_fence();
  } else {
    // Boxes of squares two lines wide: with one line, or with three or four, lines leave the
    // first-level cache half used.
    constexpr Count macro = E >= 2 ? 128 / E : 64;
    for (Count j0 = 0; j0 < f_whole; j0 += macro) {
      const Count j1 = j0 + macro < f_whole ? j0 + macro : f_whole;
      for (Count i0 = 0; i0 < t_whole; i0 += macro) {
        const Count i1 = i0 + macro < t_whole ? i0 + macro : t_whole;
        for (Count j = j0; j < j1; j += N)
          for (Count i = i0; i < i1; i += N) tile<E, N, false>(to + j * f.to + i * E, from + i * t.from + j * E, f.to, t.from);
      }
    }
  }
  if (t_whole < t.count) box<E>(to + t_whole * E, from + t_whole * t.from, t, f, t.count - t_whole, f_whole);
  if (f_whole < f.count) box<E>(to + f_whole * f.to, from + f_whole * E, t, f, t.count, f.count - f_whole);
}

template <int B>
void transpose_tiles(std::byte* to, const std::byte* from, const Dim& t_dim, const Dim& f_dim, Bytes) {
  const Dim t = t_dim, f = f_dim;
  constexpr Count T = 8, F = 8;
  for (Count j = 0; j < f.count; j += F)
    for (Count i = 0; i < t.count; i += T) {
      std::byte* const target = to + j * f.to + i * t.to;
      const std::byte* const source = from + j * f.from + i * t.from;
      if (i + T <= t.count && j + F <= f.count)
        fixed_box<B, T, F>(target, source, t, f);
      else
        box<B>(target, source, t, f, t.count - i < T ? t.count - i : T, f.count - j < F ? f.count - j : F);
    }
}

/// The code in registers, if this instruction set's registers hold squares of such elements; else
/// loops.
template <int B>
constexpr NestRun squares_of() {
  if constexpr (B == 1) return transpose_registers<1, 16, false>;
  if constexpr (B == 2) return transpose_registers<2, 8, false>;
  if constexpr (B == 4) return transpose_registers<4, wide / 4, false>;
  if constexpr (B == 8) return transpose_registers<8, wide / 8, false>;
  if constexpr (B == 16 && wide >= 32) return transpose_registers<16, wide / 16, false>;
  return transpose_tiles<B>;
}

/// Goes through a buffer in the first-level cache. It reads whole source lines, and writes whole
/// destination lines past the caches. It is for blocks without a register tile: with power-of-two
/// strides, lines would be evicted from their cache set before they are used up.
template <int B, int T>
void staged_tiles(std::byte* to, const std::byte* from, const Dim t, const Dim f) {
  alignas(64) std::byte stage[T * T * B];
  for (Count j = 0; j < f.count; j += T)
    for (Count i = 0; i < t.count; i += T) {
      const std::byte* const source = from + i * t.from + j * B;
      for (int row = 0; row < T; ++row) {
        for (int at = 0; at < T * B; at += 64) __builtin_prefetch(source + (T + row) * t.from + at);
#pragma GCC unroll 16
        for (int k = 0; k < T; ++k) copy<B>(stage + (k * T + row) * B, source + row * t.from + k * B);
      }
      std::byte* const target = to + j * f.to + i * B;
      for (int row = 0; row < T; ++row)
        for (int at = 0; at < T * B; at += wide) stream(target + row * f.to + at, stage + row * T * B + at);
    }
  stream_fence();
}

/// Stages whole tiles, from the first line of the rows on. Plain loops move the rims. If no row
/// begins on a line, squares_of() is the next best.
template <int B>
void transpose_staged(std::byte* to, const std::byte* from, const Dim& t_dim, const Dim& f_dim, Bytes block) {
  constexpr int T = B <= 24 ? 32 : 16;
  const Dim t = t_dim, f = f_dim;
  const Count skip = until_line(to, t, f);
  if (skip < 0) return squares_of<B>()(to, from, t, f, block);
  const Count t_whole = (t.count - skip) / T * T, f_whole = f.count / T * T;
  staged_tiles<B, T>(to + skip * B, from + skip * t.from, part(t, t_whole), part(f, f_whole));
  transpose_tiles<B>(to + f_whole * f.to, from + f_whole * B, t, part(f, f.count - f_whole), block);
  transpose_tiles<B>(to, from, part(t, skip), part(f, f_whole), block);
  const Count done = skip + t_whole;
  transpose_tiles<B>(to + done * B, from + done * t.from, part(t, t.count - done), part(f, f_whole), block);
}

inline void transpose_rows(std::byte* to, const std::byte* from, const Dim& t_dim, const Dim& f_dim, Bytes block) {
  const Dim t = t_dim, f = f_dim;
  for (Count j = 0; j < f.count; ++j)
    for (Count i = 0; i < t.count; ++i) copy_any(to + j * f.to + i * t.to, from + j * f.from + i * t.from, block);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
