// layout/kernel/copy.hpp: copies a known or unknown number of bytes, exact at both ends. Compiled
// once for each instruction set, in the namespace HEDDLE_KERNEL (see kernel_table.hpp).
#pragma once

#include "layout/kernel/kernel_table.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::layout::kernel::HEDDLE_KERNEL {

#if defined(__AVX512VBMI__)
constexpr Isa this_isa = Isa::avx512;
constexpr int wide = 64;
#elif defined(__AVX2__)
constexpr Isa this_isa = Isa::avx2;
constexpr int wide = 32;
#else
constexpr Isa this_isa = Isa::portable;
constexpr int wide = 16;
#endif

template <int B>
inline __attribute__((always_inline)) void copy(std::byte* to, const std::byte* from) {
  __builtin_memcpy(to, from, B);
}

/// Writes `wide` bytes past the caches. `to` must be aligned. A stream_fence() must follow before
/// another core may rely on the bytes.
inline __attribute__((always_inline)) void stream(std::byte* to, const std::byte* from) {
#if defined(__AVX512VBMI__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__x86_64__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
  copy<wide>(to, from);
#endif
}

inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// A word with its low n bits set; n in 0 ... 64.
inline std::uint64_t low_bits(Count n) {
#if defined(__BMI2__)
  return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(n));
#else
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
#endif
}

/// Copies n bytes; n in 0 ... 2·wide.
inline __attribute__((always_inline)) void copy_short(std::byte* to, const std::byte* from, Bytes n) {
#if defined(__AVX512VBMI__)
  if (n <= 64) {
    const std::uint64_t mask = low_bits(n);
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
    return;
  }
#else
  if (n < 4) {
    if (n & 2) copy<2>(to, from);
    if (n & 1) copy<1>(to + n - 1, from + n - 1);
    return;
  }
  if (n <= 8) {
    std::uint32_t head, tail;
    __builtin_memcpy(&head, from, 4);
    __builtin_memcpy(&tail, from + n - 4, 4);
    __builtin_memcpy(to, &head, 4);
    __builtin_memcpy(to + n - 4, &tail, 4);
    return;
  }
  if (n <= 16) {
    std::uint64_t head, tail;
    __builtin_memcpy(&head, from, 8);
    __builtin_memcpy(&tail, from + n - 8, 8);
    __builtin_memcpy(to, &head, 8);
    __builtin_memcpy(to + n - 8, &tail, 8);
    return;
  }
  if (wide > 16 && n <= 32) {
    copy<16>(to, from);
    copy<16>(to + n - 16, from + n - 16);
    return;
  }
#endif
  copy<wide>(to, from);
  copy<wide>(to + n - wide, from + n - wide);
}

#if defined(__AVX512VBMI__)

/// True for blocks that take two or three plain moves, but one move under a mask.
template <int B>
constexpr bool under_mask = B > 2 && B < 32 && (B & (B - 1)) != 0;

/// Bytes that a move under a mask reads or writes on the side without a mask.
template <int B>
constexpr Bytes whole_move = B <= 16   ? 16
                             : B <= 32 ? 32
                                       : 64;

/// Hides from the compiler that a mask is full. Loads under a mask do not start Zen 5's
/// prefetchers, which would guess the next block of a row and fetch useless lines.
inline __attribute__((always_inline)) std::uint64_t unknown(std::uint64_t mask) {
  asm("" : "+r"(mask));
  return mask;
}

/// Loads B bytes, and zeros up to whole_move<B>. `mask` has the bits of the B bytes.
template <int B>
inline __attribute__((always_inline)) auto load_masked(const std::byte* from, std::uint64_t mask) {
  if constexpr (B <= 16)
    return _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask), from);
  else if constexpr (B <= 32)
    return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask), from);
  else
    return _mm512_maskz_loadu_epi8(mask, from);
}
template <int B>
constexpr std::uint64_t mask_of = B == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (B % 64)) - 1;

/// A whole move, loaded under a mask.
template <int B>
inline __attribute__((always_inline)) void copy_masked(std::byte* to, const std::byte* from, std::uint64_t mask) {
  static_assert(B == 16 || B == 32 || B == 64);
  const auto value = load_masked<B>(from, mask);
  __builtin_memcpy(to, &value, sizeof value);
}

/// Reads B bytes and writes whole_move<B>. The excess must be overwritten later.
template <int B>
inline __attribute__((always_inline)) void copy_spoiling(std::byte* to, const std::byte* from) {
  const auto value = load_masked<B>(from, mask_of<B>);
  __builtin_memcpy(to, &value, sizeof value);
}

/// Reads whole_move<B> bytes and writes B.
template <int B>
inline __attribute__((always_inline)) void copy_straying(std::byte* to, const std::byte* from) {
  if constexpr (B <= 16)
    _mm_mask_storeu_epi8(to, (1u << B) - 1, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  else
    _mm256_mask_storeu_epi8(to, (1u << B) - 1, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

#else

template <int B>
constexpr bool under_mask = false;

#endif

/// From this length on the C library's memcpy is as fast as our loop or faster (string
/// instructions, streaming).
constexpr Bytes long_block = 2048;

/// Copies n bytes, for any n.
inline void copy_any(std::byte* to, const std::byte* from, Bytes n) {
  if (n <= 2 * wide) return copy_short(to, from, n);
  if (n >= long_block) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(n));
    return;
  }
  const std::byte* const last = from + n - wide;
  std::byte* const last_to = to + n - wide;
  for (; from + 4 * wide <= last; from += 4 * wide, to += 4 * wide) {
    copy<wide>(to, from);
    copy<wide>(to + wide, from + wide);
    copy<wide>(to + 2 * wide, from + 2 * wide);
    copy<wide>(to + 3 * wide, from + 3 * wide);
  }
  for (; from < last; from += wide, to += wide) copy<wide>(to, from);
  copy<wide>(last_to, last);
}

/// Calls f.template operator()<B>() with B = block, if block is in 1 ... 64. Otherwise it returns
/// false.
template <class F>
inline __attribute__((always_inline)) bool with_block(Bytes block, F&& f) {
#define HEDDLE_CASE(B)          \
  case B:                       \
    f.template operator()<B>(); \
    return true;
#define HEDDLE_CASES(B) \
  HEDDLE_CASE(B)        \
  HEDDLE_CASE(B + 1)    \
  HEDDLE_CASE(B + 2) HEDDLE_CASE(B + 3) HEDDLE_CASE(B + 4) HEDDLE_CASE(B + 5) HEDDLE_CASE(B + 6) HEDDLE_CASE(B + 7)
  switch (block) {
    HEDDLE_CASES(1)
    HEDDLE_CASES(9)
    HEDDLE_CASES(17)
    HEDDLE_CASES(25)
    HEDDLE_CASES(33)
    HEDDLE_CASES(41)
    HEDDLE_CASES(49)
    HEDDLE_CASES(57)
    default:
      return false;
  }
#undef HEDDLE_CASES
#undef HEDDLE_CASE
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
