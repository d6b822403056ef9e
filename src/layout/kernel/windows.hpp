// layout/kernel/windows.hpp: small records at a constant stride, several of them at a time through byte permutes of 64-byte
// windows. A strided block is a record of one piece. Compiled for AVX-512 with VBMI only.
//
// Measured on Zen 5 (ns an item, L1): 64-byte load, permute and store 0.30 (two loads 0.39), masked load 0.31, masked store
// 0.55, compress or expand 1.1: hence permutes, masked loads (exact, so no page rule to mind), and masked stores only where
// a plain one would write too much.
#pragma once

#include "layout/kernel/copy.hpp"

#if defined(__AVX512VBMI__)

namespace heddle::layout::kernel::HEDDLE_KERNEL {

/// What one permute does: `records` records in, `bytes` packed bytes out (or the reverse).
struct Window {
  __m512i index;
  std::uint64_t mask_a, mask_b, mask_out;
  Count records;
  Bytes bytes;
};

/// As many records as two windows of memory and 64 packed bytes hold. One record is described by where its packed bytes come
/// from (index, < 64) and by the mask of its bytes in memory (mask, lowest byte at bit 0).
inline Window gather_window(const std::uint8_t* index, std::uint64_t mask, Bytes size, Bytes stride, Bytes span, Count limit) {
  const Count most = 64 / size;
  const Count double_window = (128 - span) / stride + 1, single_window = (64 - span) / stride + 1;
  const Count single = single_window < most ? single_window : most;
  Count records = double_window < most ? double_window : most;
  // A second window costs a load: it must bring half as much again.
  if (records * 2 < single * 3) records = single;
  if (records > limit) records = limit;
  const __m512i one = _mm512_loadu_si512(index);
  std::uint8_t all[128];
  Window window{};
  for (Count r = 0; r < records; ++r) {
    _mm512_storeu_si512(all + r * size, _mm512_add_epi8(one, _mm512_set1_epi8(static_cast<char>(r * stride))));
    const Bytes shift = r * stride;
    if (shift < 64) window.mask_a |= mask << shift;
    if (shift >= 64)
      window.mask_b |= mask << (shift - 64);
    else if (shift > 0)
      window.mask_b |= mask >> (64 - shift);
  }
  window.index = _mm512_loadu_si512(all);
  window.records = records;
  window.bytes = records * size;
  window.mask_out = low_bits(window.bytes);
  return window;
}

/// As many records as one window of memory holds. `index` says for each byte of a record in memory where it is packed.
inline Window scatter_window(const std::uint8_t* index, std::uint64_t mask, Bytes size, Bytes stride, Bytes span, Count limit) {
  Count records = (64 - span) / stride + 1;
  if (records > limit) records = limit;
  const __m512i one = _mm512_loadu_si512(index);
  std::uint8_t all[128];
  Window window{};
  for (Count r = 0; r < records; ++r) {
    _mm512_storeu_si512(all + r * stride, _mm512_add_epi8(one, _mm512_set1_epi8(static_cast<char>(r * size))));
    window.mask_out |= mask << (r * stride);
  }
  window.index = _mm512_loadu_si512(all);
  window.records = records;
  window.bytes = records * size;
  window.mask_a = low_bits(window.bytes);
  return window;
}

template <bool two>
inline __m512i take(const Window w, const std::byte* from) {
  const __m512i a = _mm512_maskz_loadu_epi8(w.mask_a, from);
  if constexpr (!two) return _mm512_permutexvar_epi8(w.index, a);
  return _mm512_permutex2var_epi8(a, w.index, _mm512_maskz_loadu_epi8(w.mask_b, from + 64));
}

template <bool two>
inline void gather_run(std::byte* to, const std::byte* from, const Window w, Count groups, Bytes stride) {
  const Bytes step = w.records * stride;
  // A full store runs past the group; the groups after it must cover what it spoils.
  const Count exact = (63 + w.bytes) / w.bytes;
  Count i = 0;
  for (; i + exact <= groups; ++i, to += w.bytes, from += step) _mm512_storeu_si512(to, take<two>(w, from));
  for (; i < groups; ++i, to += w.bytes, from += step) _mm512_mask_storeu_epi8(to, w.mask_out, take<two>(w, from));
}

/// Records of a row; the last few that do not fill a window go under a mask.
inline void gather_row(std::byte* to, const std::byte* from, const Window w, const Window one, Count count, Bytes stride) {
  const Count groups = count / w.records;
  if (w.mask_b)
    gather_run<true>(to, from, w, groups, stride);
  else
    gather_run<false>(to, from, w, groups, stride);
  to += groups * w.bytes;
  from += groups * w.records * stride;
  gather_run<false>(to, from, one, count - groups * w.records, stride);
}

inline void scatter_run(std::byte* to, const std::byte* from, const Window w, Count groups, Bytes stride) {
  const Bytes step = w.records * stride;
  for (Count i = 0; i < groups; ++i, to += step, from += w.bytes)
    _mm512_mask_storeu_epi8(to, w.mask_out, _mm512_permutexvar_epi8(w.index, _mm512_maskz_loadu_epi8(w.mask_a, from)));
}

inline void scatter_row(std::byte* to, const std::byte* from, const Window w, const Window one, Count count, Bytes stride) {
  const Count groups = count / w.records;
  scatter_run(to, from, w, groups, stride);
  scatter_run(to + groups * w.records * stride, from + groups * w.bytes, one, count - groups * w.records, stride);
}

alignas(64) inline constexpr std::uint8_t iota[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                      32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                      48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/// Whether a plane of small blocks goes through windows.
inline bool windows_win(const Dim& outer, const Dim& inner, Bytes block) {
  if (block > 32 || inner.count < 8 || inner.count * outer.count < 48) return false;
  if (inner.to == block && inner.from > block) {
    // From memory, plain loads of larger blocks keep the prefetcher busier: 24 of 48 bytes 45 GB/s, 40 through windows.
    if (block >= 16 && inner.from * inner.count > 4 << 20) return false;
    const Bytes double_window = (128 - block) / inner.from + 1;
    return inner.from + block <= 128 && double_window * block >= 24;
  }
  return inner.from == block && inner.to > block && 4 * inner.to + block <= 64;
}

/// A plane for which windows_win.
inline void windows(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block) {
  if (inner.to == block) {
    const Window w = gather_window(iota, low_bits(block), block, inner.from, block, inner.count);
    const Window one = gather_window(iota, low_bits(block), block, inner.from, block, 1);
    for (Count j = 0; j < outer.count; ++j)
      gather_row(to + j * outer.to, from + j * outer.from, w, one, inner.count, inner.from);
  } else {
    const Window w = scatter_window(iota, low_bits(block), block, inner.to, block, inner.count);
    const Window one = scatter_window(iota, low_bits(block), block, inner.to, block, 1);
    for (Count j = 0; j < outer.count; ++j)
      scatter_row(to + j * outer.to, from + j * outer.from, w, one, inner.count, inner.to);
  }
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL

#endif
