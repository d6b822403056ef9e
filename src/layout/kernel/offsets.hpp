// layout/kernel/offsets.hpp: blocks and pieces at listed offsets. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/copy.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

#if defined(__AVX2__)
/// Doubles, four to a store: 0.17 ns each, one by one 0.21.
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

/// Floats, four to a store: 0.17 ns each from the L1 cache, one by one 0.20, by AVX-512's gather 0.30; beyond that cache alike.
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
/// Blocks under_mask: all but the last are moved in one go. ns a block of 12 (24) bytes: gathered 0.35 (0.40) → 0.23 (0.31),
/// scattered 0.36 → 0.29; of more than 16 bytes scattered over more than the L1 cache 0.6 → 0.8, so not those.
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

/// Whether a list reaches beyond the caches, by 17 of its offsets: then blocks to come are fetched ahead. A million blocks of
/// 12 (24) bytes, ns each, sorted: gathered 2.4 → 1.4 (3.1 → 2.8), scattered 2.1 → 1.5 (3.5 → 2.9); shuffled: 3.5 → 3.2 (6.3
/// → 4.3), 4.7 → 3.2 (5.7 → 4.5). Not of 8 bytes, several of which share a line as often as not: the 194,400 of 24,300 atoms
/// were scattered at 10 instead of 13 GB/s.
template <class Int>
bool reaches_far(const Int* offsets, Count n) {
  constexpr Count long_list = 1 << 17, samples = 16;
  constexpr Bytes beyond_caches = 16 << 20;
  if (n < long_list) return false;
  Int low = offsets[0], high = low;
  for (Count k = 1; k <= samples; ++k) {
    const Int one = offsets[(n - 1) / samples * k];
    low = one < low ? one : low;
    high = one > high ? one : high;
  }
  return Bytes{high} - Bytes{low} > beyond_caches;
}

/// So many blocks ahead; as many stay for the loops that end where the list does.
constexpr Count list_ahead = 64;

template <int B, class Int>
void gather_far(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes step) {
  for (; n > 0; --n, to += step, ++offsets) {
    __builtin_prefetch(from + offsets[list_ahead], 0);
#if defined(__AVX512VBMI__)
    if constexpr (under_mask<B>)
      if (step == B) {
        copy_spoiling<B>(to, from + offsets[0]);
        continue;
      }
#endif
    copy<B>(to, from + offsets[0]);
  }
}

template <int B, class Int>
void scatter_far(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes step) {
  for (; n > 0; --n, from += step, ++offsets) {
    __builtin_prefetch(to + offsets[list_ahead], 1);
#if defined(__AVX512VBMI__)
    if constexpr (under_mask<B>)
      if (step == B) {
        copy_straying<B>(to + offsets[0], from);
        continue;
      }
#endif
    copy<B>(to + offsets[0], from);
  }
}

/// Blocks at offsets; the other side goes on by `step` (the block itself, or the size of the record they are fields of).
template <int B, class Int>
void gather_of(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes step) {
  if constexpr (B > 8)
    if (reaches_far(offsets, n)) {
      const Count far = n - list_ahead;
      gather_far<B>(to, from, offsets, far, step);
      return gather_of<B>(to + far * step, from, offsets + far, list_ahead, step);
    }
#if defined(__AVX2__)
  if constexpr (B == 8)
    if (step == 8) return gather_eights(to, from, offsets, n);
  if constexpr (B == 4)
    if (step == 4) return gather_fours(to, from, offsets, n);
#endif
#if defined(__AVX512VBMI__)
  if constexpr (under_mask<B>)
    if (step == B) return gather_under_mask<B>(to, from, offsets, n);
#endif
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
  if constexpr (B > 8)
    if (reaches_far(offsets, n)) {
      const Count far = n - list_ahead;
      scatter_far<B>(to, from, offsets, far, step);
      return scatter_of<B>(to, from + far * step, offsets + far, list_ahead, step);
    }
#if defined(__AVX512VBMI__)
  if constexpr (under_mask<B> && B <= 16)
    if (step == B) return scatter_under_mask<B>(to, from, offsets, n);
#endif
  for (; n >= 4; n -= 4, from += 4 * step, offsets += 4) {
    copy<B>(to + offsets[0], from);
    copy<B>(to + offsets[1], from + step);
    copy<B>(to + offsets[2], from + 2 * step);
    copy<B>(to + offsets[3], from + 3 * step);
  }
  for (; n > 0; --n, from += step, ++offsets) copy<B>(to + offsets[0], from);
}

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
  gather_steps(to, from, offsets, n, block, block);
}

template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  scatter_steps(to, from, offsets, n, block, block);
}

inline Bytes page_offset(const std::byte* at) { return static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(at) & 4095); }

/// Whether a read of `bytes` at `at` stays within one 4 KiB page.
inline bool within_page(const std::byte* at, Bytes bytes) { return page_offset(at) + bytes <= 4096; }

/// Pieces after which `bytes` more bytes of the packed stream follow: there a wide access does not leave the stream, and what a
/// wide store spoils the pieces after it cover.
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
/// Whether reads of W bytes at 8 (or 16) offsets all stay within their pages.
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

/// A fixed number of bytes a piece, whatever its length (W at most): no branch on it. Measured on Zen 5, ns a piece of 8 to 32
/// bytes, L1: this 0.4; under a mask of 32 bytes 0.55, of 64 bytes 0.67; branches on the length 0.6 to 4.
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
  const Bytes most = longest(lengths, n);
  Count i = 0;
  if (most <= 16) {
    to = gather_loose<16>(to, from, offsets, lengths, loose);
    i = loose;
  } else if (most <= 32) {
    to = gather_loose<32>(to, from, offsets, lengths, loose);
    i = loose;
  } else if (most <= 64) {
    to = gather_loose<64>(to, from, offsets, lengths, loose);
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
  // Stores of 32 bytes under a mask: 0.5 ns a piece; of 64 bytes 0.9; branches on the length 0.6 when predicted, 4 when not.
  const Count loose = loose_pieces(lengths, n, 32);
  const Bytes most = longest(lengths, n);
  for (; i < loose; ++i) {
    const Bytes length = lengths[i];
    if (most <= 32 || length <= 32)
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
