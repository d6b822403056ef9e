// layout/kernel/transpose.hpp: two loops that disagree about the order, visited in tiles. Compiled once for each instruction
// set.
//
//   source rows (fast_from runs along them)        destination rows (fast_to runs along them)
//     a b c d ...                                    a e i m
//     e f g h                  n × n tile            b f j n
//     i j k l           in registers (Eklundh)       c g k o
//     m n o p                                        d h l p
#pragma once

#include "layout/kernel/copy.hpp"

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

/// A row of N elements of E bytes in one vector register.
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

/// Lane k of the upper (or lower) row after blocks of `s` elements were swapped; w lanes make one element.
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
  if constexpr (S > 1) stages<S / 2, N, W>(rows);
}

/// One N × N tile of E-byte elements.
template <int E, int N>
inline __attribute__((always_inline)) void tile(std::byte* to, const std::byte* from, Bytes to_row, Bytes from_row) {
  using V = typename Row<E, N>::type;
  V rows[N];
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i) __builtin_memcpy(&rows[i], from + i * from_row, sizeof(V));
  stages<N / 2, N, E == 16 ? 2 : 1>(rows);
#pragma GCC unroll 64
  for (int i = 0; i < N; ++i) __builtin_memcpy(to + i * to_row, &rows[i], sizeof(V));
}

/// A box of the nest by plain loops: rims, and elements that no register tile knows.
template <int B>
inline void box(std::byte* to, const std::byte* from, const Dim& t, const Dim& f, Count t_count, Count f_count) {
  for (Count j = 0; j < f_count; ++j)
    for (Count i = 0; i < t_count; ++i) copy<B>(to + j * f.to + i * t.to, from + j * f.from + i * t.from);
}

template <int E, int N>
void transpose_registers(std::byte* to, const std::byte* from, const Dim& t, const Dim& f) {
  constexpr Count macro = 64;
  const Count t_whole = t.count / N * N, f_whole = f.count / N * N;
  for (Count j0 = 0; j0 < f_whole; j0 += macro) {
    const Count j1 = j0 + macro < f_whole ? j0 + macro : f_whole;
    for (Count i = 0; i < t_whole; i += N)
      for (Count j = j0; j < j1; j += N) tile<E, N>(to + j * f.to + i * E, from + i * t.from + j * E, f.to, t.from);
  }
  if (t_whole < t.count) box<E>(to + t_whole * E, from + t_whole * t.from, t, f, t.count - t_whole, f_whole);
  if (f_whole < f.count) box<E>(to + f_whole * f.to, from + f_whole * E, t, f, t.count, f.count - f_whole);
}

template <int B>
void transpose_tiles(std::byte* to, const std::byte* from, const Dim& t, const Dim& f) {
  constexpr Count T = 8, F = 8;
  for (Count j = 0; j < f.count; j += F)
    for (Count i = 0; i < t.count; i += T)
      box<B>(to + j * f.to + i * t.to, from + j * f.from + i * t.from, t, f, t.count - i < T ? t.count - i : T,
             f.count - j < F ? f.count - j : F);
}

inline void transpose(std::byte* to, const std::byte* from, const Dim& t, const Dim& f, Bytes block) {
  if (t.to == block && f.from == block) {
    switch (block) {
      case 1:
        return transpose_registers<1, 16>(to, from, t, f);
      case 2:
        return transpose_registers<2, 8>(to, from, t, f);
      case 4:
        return transpose_registers<4, wide / 4>(to, from, t, f);
      case 8:
        return transpose_registers<8, wide / 8>(to, from, t, f);
#if defined(__AVX2__)
      case 16:
        return transpose_registers<16, wide / 16>(to, from, t, f);
#endif
      default:
        break;
    }
  }
  if (with_block(block, [&]<int B>() { transpose_tiles<B>(to, from, t, f); })) return;
  for (Count j = 0; j < f.count; ++j)
    for (Count i = 0; i < t.count; ++i) copy_any(to + j * f.to + i * t.to, from + j * f.from + i * t.from, block);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
