// layout/kernel/windows.hpp: kernels for small records at a constant stride. A byte permute of
// 64-byte windows moves several records at a time. A strided block is a record of one piece.
// Compiled for AVX-512 with VBMI only.
//
// Loads under a mask cost no more than plain loads. They are exact, so they never cross into
// another page. Stores under a mask cost twice as much as plain stores, and are used only where a
// plain store would write too much. Compress and expand cost more than permutes.
#pragma once

#include "layout/kernel/copy.hpp"

#if defined(__AVX512VBMI__)

namespace heddle::layout::kernel::HEDDLE_KERNEL {

/// The work of one permute: `records` records in, `bytes` packed bytes out (or the reverse). A row
/// takes `groups` permutes, and has `rest` records more.
struct Window {
  __m512i index;
  std::uint64_t mask_a, mask_b, mask_out;
  Count records;
  Bytes bytes;
  Count groups, rest;
};

alignas(64) inline constexpr std::uint8_t iota[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                      32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                      48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/// Multiplies each byte, for products below 256.
inline __m512i times(__m512i bytes, Bytes factor) {
  const __m512i by = _mm512_set1_epi16(static_cast<short>(factor));
  const __m512i even = _mm512_mullo_epi16(_mm512_and_si512(bytes, _mm512_set1_epi16(0xff)), by);
  return _mm512_or_si512(even, _mm512_slli_epi16(_mm512_mullo_epi16(_mm512_srli_epi16(bytes, 8), by), 8));
}

/// A quotient of small numbers. A division of 32 bits takes half as long as one of 64.
inline Count quotient(Bytes a, Bytes b) { return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b); }

/// Repeats the index of one record. Byte i belongs to record i / item. The bytes of each record lie
/// `step` behind those of the record before. It divides by a reciprocal, which is exact for 0 ...
/// 63 by 1 ... 64.
inline __m512i repeated(__m512i one, Bytes item, Bytes step) {
  const __m512i i = _mm512_load_si512(iota);
  const __m512i reciprocal = _mm512_set1_epi16(static_cast<short>(quotient(4096 + item - 1, item)));
  const auto divided = [&](__m512i words) { return _mm512_mulhi_epu16(_mm512_slli_epi16(words, 4), reciprocal); };
  const __m512i even = divided(_mm512_and_si512(i, _mm512_set1_epi16(0xff)));
  const __m512i record = _mm512_or_si512(even, _mm512_slli_epi16(divided(_mm512_srli_epi16(i, 8)), 8));
  const __m512i in_record = _mm512_sub_epi8(i, times(record, item));
  return _mm512_add_epi8(_mm512_permutexvar_epi8(in_record, one), times(record, step));
}

/// Reads bytes 0 ... reach-1 of two windows. Holes between records lie in the same pages as the
/// records.
inline void read(Window& window, Bytes reach) {
  window.mask_a = low_bits(reach < 64 ? reach : 64);
  window.mask_b = low_bits(reach < 64 ? 0 : reach - 64);
}

/// Makes a window for rows of `count` records. It takes as many records at a time as two windows of
/// memory and 64 packed bytes hold. `index` gives the offset in memory (< span) of each packed byte
/// of a record. This takes a few nanoseconds, which pays from a dozen blocks on.
inline Window gather_window(const std::uint8_t* index, Bytes size, Bytes stride, Bytes span, Count count) {
  const Count most = quotient(64, size);
  const Count double_window = quotient(128 - span, stride) + 1, single_window = quotient(64 - span, stride) + 1;
  const Count single = single_window < most ? single_window : most;
  Count records = double_window < most ? double_window : most;
  // A second window costs a load. It must bring at least half as many records more.
  if (records * 2 < single * 3) records = single;
  if (records > count) records = count;
  Window window{};
  window.index = _mm512_loadu_si512(index);
  if (records > 1) window.index = repeated(window.index, size, stride);
  read(window, (records - 1) * stride + span);
  window.records = records;
  window.bytes = records * size;
  window.mask_out = low_bits(window.bytes);
  window.groups = count / records;
  window.rest = count - window.groups * records;
  return window;
}

/// Makes a window for rows of `count` records. It takes as many records at a time as one window of
/// memory holds. `index` gives the packed offset of each byte of a record in memory. `mask` marks
/// the bytes of the record.
inline Window scatter_window(const std::uint8_t* index, std::uint64_t mask, Bytes size, Bytes stride, Bytes span, Count count) {
  Count records = quotient(64 - span, stride) + 1;
  if (records > count) records = count;
  Window window{};
  window.index = _mm512_loadu_si512(index);
  if (records > 1) window.index = repeated(window.index, stride, size);
  for (Count done = 1; done < records; done *= 2) mask |= mask << (done * stride);
  window.mask_out = mask & low_bits((records - 1) * stride + span);
  window.records = records;
  window.bytes = records * size;
  window.mask_a = low_bits(window.bytes);
  window.groups = count / records;
  window.rest = count - window.groups * records;
  return window;
}

template <bool two>
inline __m512i take(const Window& w, const std::byte* from) {
  const __m512i a = _mm512_maskz_loadu_epi8(w.mask_a, from);
  if constexpr (!two) return _mm512_permutexvar_epi8(w.index, a);
  return _mm512_permutex2var_epi8(a, w.index, _mm512_maskz_loadu_epi8(w.mask_b, from + 64));
}

/// Windows from memory are prefetched so many groups ahead, because loads under a mask do not start
/// the prefetchers. With data in the second-level cache, prefetches only cost time.
constexpr Bytes groups_ahead = 16;

template <bool two, bool far>
inline void gather_groups(std::byte* to, const std::byte* from, const Window& w, Bytes step) {
  // A full store runs past its group. The groups after it must overwrite the excess.
  const Count exact = w.bytes == 64 ? 1 : w.bytes >= 32 ? 2 : quotient(63 + w.bytes, w.bytes);
  const Count groups = w.groups;
  Count i = 0;
  for (; i + exact <= groups; ++i, to += w.bytes, from += step) {
    if constexpr (far) __builtin_prefetch(from + groups_ahead * step, 0);
    _mm512_storeu_si512(to, take<two>(w, from));
  }
  for (; i < groups; ++i, to += w.bytes, from += step) _mm512_mask_storeu_epi8(to, w.mask_out, take<two>(w, from));
}

/// Packs a row of records, each `span` bytes long in memory.
template <bool far>
inline void gather_row(std::byte* to, const std::byte* from, const Window w, Bytes size, Bytes stride, Bytes span) {
  const Bytes step = w.records * stride;
  if (w.mask_b)
    gather_groups<true, far>(to, from, w, step);
  else
    gather_groups<false, far>(to, from, w, step);
  if (w.rest == 0) return;
  to += w.groups * w.bytes;
  from += w.groups * step;
  Window last = w;
  read(last, (w.rest - 1) * stride + span);
  const __m512i packed = last.mask_b ? take<true>(last, from) : take<false>(last, from);
  _mm512_mask_storeu_epi8(to, low_bits(w.rest * size), packed);
}

inline void scatter_group(std::byte* to, const std::byte* from, __m512i index, std::uint64_t mask, std::uint64_t mask_out) {
  _mm512_mask_storeu_epi8(to, mask_out, _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(mask, from)));
}

template <bool far>
inline void scatter_row(std::byte* to, const std::byte* from, const Window w, Bytes size, Bytes stride) {
  const Bytes step = w.records * stride;
  for (Count i = 0; i < w.groups; ++i, to += step, from += w.bytes) {
    if constexpr (far) {
      __builtin_prefetch(to + groups_ahead * step, 1);
      __builtin_prefetch(from + groups_ahead * w.bytes, 0);
    }
    scatter_group(to, from, w.index, w.mask_a, w.mask_out);
  }
  if (w.rest > 0) scatter_group(to, from, w.index, low_bits(w.rest * size), w.mask_out & low_bits(w.rest * stride));
}

/// Moves a plane of small blocks, with one side packed.
template <bool far>
void windows(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block) {
  const Bytes to_row = outer.to, from_row = outer.from;
  if (inner.to == block) {
    const Bytes stride = inner.from;
    const Window w = gather_window(iota, block, stride, block, inner.count);
    for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row)
      gather_row<far>(to, from, w, block, stride, block);
  } else {
    const Bytes stride = inner.to;
    const Window w = scatter_window(iota, low_bits(block), block, stride, block, inner.count);
    for (Count rows = outer.count; rows > 0; --rows, to += to_row, from += from_row)
      scatter_row<far>(to, from, w, block, stride);
  }
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL

#endif
