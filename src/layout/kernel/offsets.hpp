// layout/kernel/offsets.hpp: kernels for blocks and pieces at listed offsets. Compiled once for
// each instruction set.
#pragma once

#include "layout/kernel/copy.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

#if defined(__AVX2__)
/// Gathers doubles, four to a store.
template <class Int>
void gather_eights(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  const auto two = [from](const Int* at) {
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + at[0]));
    return _mm_loadh_pd(_mm_castsi128_pd(low), reinterpret_cast<const double*>(from + at[1]));
  };
  for (; n >= 8; n -= 8, to += 64, offsets += 8)
#pragma GCC unroll 2
    for (int k = 0; k < 8; k += 4)
      _mm256_storeu_pd(reinterpret_cast<double*>(to + k * 8), _mm256_set_m128d(two(offsets + k + 2), two(offsets + k)));
  for (; n > 0; --n, to += 8, ++offsets) copy<8>(to, from + offsets[0]);
}

/// Gathers floats, four to a store. AVX-512's gather instruction takes longer than single loads.
template <class Int>
void gather_fours(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  const auto word = [from, &offsets](int k) {
    int value;
    __builtin_memcpy(&value, from + offsets[k], sizeof value);
    return value;
  };
  for (; n >= 8; n -= 8, to += 32, offsets += 8)
#pragma GCC unroll 2
    for (int k = 0; k < 8; k += 4) {
      __m128i four = _mm_cvtsi32_si128(word(k));
      four = _mm_insert_epi32(four, word(k + 1), 1);
      four = _mm_insert_epi32(four, word(k + 2), 2);
      four = _mm_insert_epi32(four, word(k + 3), 3);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k * 4), four);
    }
  for (; n > 0; --n, to += 4, ++offsets) copy<4>(to, from + offsets[0]);
}
#endif

#if defined(__AVX512VBMI__)
/// Moves blocks under a mask, one move each. The last blocks are exact copies.
template <int B, class Int>
void gather_under_mask(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  constexpr Count plain = (whole_move<B> - 1) / B;
  for (; n >= plain + 4; n -= 4, to += 4 * B, offsets += 4)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) copy_spoiling<B>(to + k * B, from + offsets[k]);
  for (; n > 0; --n, to += B, ++offsets) copy<B>(to, from + offsets[0]);
}

template <int B, class Int>
void scatter_under_mask(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  constexpr Count plain = (whole_move<B> - 1) / B;
  for (; n >= plain + 4; n -= 4, from += 4 * B, offsets += 4)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) copy_straying<B>(to + offsets[k], from + k * B);
  for (; n > 0; --n, from += B, ++offsets) copy<B>(to + offsets[0], from);
}
#endif

/// Distance of prefetches, in blocks. The last blocks of a list are moved without prefetches.
constexpr Count list_ahead = 64;

/// Moves blocks at offsets. The packed side advances by `step`: the size of the block, or of the
/// record that has the block as a field.
template <int B, class Int>
void gather_of(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes step) {
  for (; n >= 4; n -= 4, to += 4 * step, offsets += 4) {
    copy<B>(to, from + offsets[0]);
    copy<B>(to + step, from + offsets[1]);
    copy<B>(to + 2 * step, from + offsets[2]);
    copy<B>(to + 3 * step, from + offsets[3]);
  }
  for (; n > 0; --n, to += step, ++offsets) copy<B>(to, from + offsets[0]);
}

template <int B, class Int>
void scatter_of(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes step) {
  for (; n >= 4; n -= 4, from += 4 * step, offsets += 4) {
    copy<B>(to + offsets[0], from);
    copy<B>(to + offsets[1], from + step);
    copy<B>(to + offsets[2], from + 2 * step);
    copy<B>(to + offsets[3], from + 3 * step);
  }
  for (; n > 0; --n, from += step, ++offsets) copy<B>(to + offsets[0], from);
}

/// Prefetches later blocks; n > list_ahead.
template <int B, class Int>
void gather_ahead(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  for (; n > list_ahead; --n, to += B, ++offsets) {
    __builtin_prefetch(from + offsets[list_ahead], 0);
#if defined(__AVX512VBMI__)
    if constexpr (under_mask<B>)
      copy_spoiling<B>(to, from + offsets[0]);
    else
#endif
      copy<B>(to, from + offsets[0]);
  }
  gather_of<B>(to, from, offsets, n, B);
}

template <int B, class Int>
void scatter_ahead(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  for (; n > list_ahead; --n, from += B, ++offsets) {
    __builtin_prefetch(to + offsets[list_ahead], 1);
#if defined(__AVX512VBMI__)
    if constexpr (under_mask<B>)
      copy_straying<B>(to + offsets[0], from);
    else
#endif
      copy<B>(to + offsets[0], from);
  }
  scatter_of<B>(to, from, offsets, n, B);
}

/// Moves one field of records at listed offsets.
template <class Int>
void gather_steps(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block, Bytes step) {
  if (with_block(block, [&]<int B>() { gather_of<B>(to, from, offsets, n, step); })) return;
  for (Count i = 0; i < n; ++i, to += step) copy_any(to, from + offsets[i], block);
}

template <class Int>
void scatter_steps(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block, Bytes step) {
  if (with_block(block, [&]<int B>() { scatter_of<B>(to, from, offsets, n, step); })) return;
  for (Count i = 0; i < n; ++i, from += step) copy_any(to + offsets[i], from, block);
}

template <class Int>
void gather(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  const Bytes reach = reach_of(offsets, n, block, current_thresholds);
  const Kernel kernel = decide({n, block, reach, Direction::pack, this_isa}, current_thresholds).kernel;
#if defined(__AVX2__)
  if (kernel == Kernel::listed_lanes)
    return block == 8 ? gather_eights(to, from, offsets, n) : gather_fours(to, from, offsets, n);
#endif
  if (with_block(block, [&]<int B>() {
#if defined(__AVX512VBMI__)
        if constexpr (under_mask<B>)
          if (kernel == Kernel::listed_under_mask) return gather_under_mask<B>(to, from, offsets, n);
#endif
        if constexpr (B > 8)
          if (kernel == Kernel::listed_ahead) return gather_ahead<B>(to, from, offsets, n);
        gather_of<B>(to, from, offsets, n, B);
      }))
    return;
  for (Count i = 0; i < n; ++i, to += block) copy_any(to, from + offsets[i], block);
}

template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  const Bytes reach = reach_of(offsets, n, block, current_thresholds);
  const Kernel kernel = decide({n, block, reach, Direction::unpack, this_isa}, current_thresholds).kernel;
  if (with_block(block, [&]<int B>() {
#if defined(__AVX512VBMI__)
        if constexpr (under_mask<B> && B <= 16)
          if (kernel == Kernel::listed_under_mask) return scatter_under_mask<B>(to, from, offsets, n);
#endif
        if constexpr (B > 8)
          if (kernel == Kernel::listed_ahead) return scatter_ahead<B>(to, from, offsets, n);
        scatter_of<B>(to, from, offsets, n, B);
      }))
    return;
  for (Count i = 0; i < n; ++i, from += block) copy_any(to + offsets[i], from, block);
}

inline Bytes page_offset(const std::byte* at) { return static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(at) & 4095); }

/// True if a read of `bytes` at `at` stays within one 4 KiB page.
inline bool within_page(const std::byte* at, Bytes bytes) { return page_offset(at) + bytes <= 4096; }

/// The number of first pieces after which at least `bytes` bytes of the packed stream follow. A
/// wide access to these pieces stays within the stream, and later pieces overwrite the excess of a
/// wide store.
template <class Length>
Count loose_pieces(const Length* lengths, Count n, Bytes bytes) {
  for (Bytes after = 0; n > 0 && after < bytes; --n) after += lengths[n - 1];
  return n;
}

template <class Length>
Length longest(const Length* lengths, Count n) {
  Length result = 0;
  for (Count i = 0; i < n; ++i) result = lengths[i] > result ? lengths[i] : result;
  return result;
}

#if defined(__AVX512VBMI__)
/// True if reads of W bytes at 8 (or 16) offsets all stay within their pages.
template <int W>
inline bool within_pages(const std::byte* from, const std::int32_t* offsets) {
  const __m512i at = _mm512_add_epi32(_mm512_loadu_si512(offsets), _mm512_set1_epi32(static_cast<int>(page_offset(from))));
  return _mm512_cmpgt_epi32_mask(_mm512_and_si512(at, _mm512_set1_epi32(4095)), _mm512_set1_epi32(4096 - W)) == 0;
}
template <int W>
inline bool within_pages(const std::byte* from, const std::int64_t* offsets) {
  const __m512i at = _mm512_add_epi64(_mm512_loadu_si512(offsets), _mm512_set1_epi64(page_offset(from)));
  return _mm512_cmpgt_epi64_mask(_mm512_and_si512(at, _mm512_set1_epi64(4095)), _mm512_set1_epi64(4096 - W)) == 0;
}
#endif

/// Copies W bytes for each piece, which has at most W. So no branch depends on the length; such
/// branches would be mispredicted.
template <int W, class Int, class Length>
std::byte* gather_loose(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  Count i = 0;
  const auto one = [&] {
    const std::byte* const at = from + offsets[i];
    if (within_page(at, W)) [[likely]]
      copy<W>(to, at);
    else
      copy_any(to, at, lengths[i]);
    to += lengths[i++];
  };
#if defined(__AVX512VBMI__)
  constexpr int group = 64 / sizeof(Int);
  while (i + group <= n)
    if (within_pages<W>(from, offsets + i)) [[likely]] {
#pragma GCC unroll 16
      for (int k = 0; k < group; ++k, ++i) {
        copy<W>(to, from + offsets[i]);
        to += lengths[i];
      }
    } else {
      for (int k = 0; k < group; ++k) one();
    }
#endif
  while (i < n) one();
  return to;
}

template <class Int, class Length>
void gather_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  const Count loose = loose_pieces(lengths, n, 64);
  const Kernel kernel = decide({longest(lengths, n), Direction::pack, this_isa}).kernel;
  Count i = 0;
  if (kernel != Kernel::pieces_any) {
    to = kernel == Kernel::pieces_16   ? gather_loose<16>(to, from, offsets, lengths, loose)
         : kernel == Kernel::pieces_32 ? gather_loose<32>(to, from, offsets, lengths, loose)
                                       : gather_loose<64>(to, from, offsets, lengths, loose);
    i = loose;
  } else {
    for (; i < loose; to += lengths[i], ++i) {
      const Bytes length = lengths[i];
      const std::byte* const at = from + offsets[i];
      if (length <= 32 && within_page(at, 32))
        copy<32>(to, at);
      else
        copy_any(to, at, length);
    }
  }
  for (; i < n; to += lengths[i], ++i) copy_any(to, from + offsets[i], lengths[i]);
}

template <class Int, class Length>
void scatter_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  Count i = 0;
#if defined(__AVX512VBMI__)
  // Stores of 32 bytes under a mask avoid branches on the length, which would be mispredicted.
  // Stores of 64 bytes take longer.
  const Count loose = loose_pieces(lengths, n, 32);
  const bool short_ones = decide({longest(lengths, n), Direction::unpack, this_isa}).kernel == Kernel::pieces_32;
  for (; i < loose; ++i) {
    const Bytes length = lengths[i];
    if (short_ones || length <= 32)
      _mm256_mask_storeu_epi8(to + offsets[i], _bzhi_u32(~0u, static_cast<unsigned>(length)),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    else
      copy_any(to + offsets[i], from, length);
    from += length;
  }
#endif
  for (; i < n; from += lengths[i], ++i) copy_any(to + offsets[i], from, lengths[i]);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
