// layout/kernel/offsets.hpp: blocks and pieces at listed offsets. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/copy.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

template <int B, class Int>
void gather_of(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  for (; n >= 4; n -= 4, to += 4 * B, offsets += 4) {
    copy<B>(to, from + offsets[0]);
    copy<B>(to + B, from + offsets[1]);
    copy<B>(to + 2 * B, from + offsets[2]);
    copy<B>(to + 3 * B, from + offsets[3]);
  }
  for (; n > 0; --n, to += B, ++offsets) copy<B>(to, from + offsets[0]);
}

template <int B, class Int>
void scatter_of(std::byte* to, const std::byte* from, const Int* offsets, Count n) {
  for (; n >= 4; n -= 4, from += 4 * B, offsets += 4) {
    copy<B>(to + offsets[0], from);
    copy<B>(to + offsets[1], from + B);
    copy<B>(to + offsets[2], from + 2 * B);
    copy<B>(to + offsets[3], from + 3 * B);
  }
  for (; n > 0; --n, from += B, ++offsets) copy<B>(to + offsets[0], from);
}

template <class Int>
void gather(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  if (with_block(block, [&]<int B>() { gather_of<B>(to, from, offsets, n); })) return;
  for (Count i = 0; i < n; ++i, to += block) copy_any(to, from + offsets[i], block);
}

template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  if (with_block(block, [&]<int B>() { scatter_of<B>(to, from, offsets, n); })) return;
  for (Count i = 0; i < n; ++i, from += block) copy_any(to + offsets[i], from, block);
}

/// Whether a read of `bytes` at `at` stays within one 4 KiB page.
inline bool within_page(const std::byte* at, Bytes bytes) {
  return static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(at) & 4095) + bytes <= 4096;
}

/// Pieces that can be stored `wide` bytes at a time because the pieces after them cover what that spoils.
template <class Length>
Count loose_pieces(const Length* lengths, Count n) {
  for (Bytes after = 0; n > 0 && after < wide; --n) after += lengths[n - 1];
  return n;
}

template <class Int, class Length>
void gather_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  const Count loose = loose_pieces(lengths, n);
  Count i = 0;
  for (; i < loose; ++i) {
    const Bytes length = lengths[i];
    const std::byte* const at = from + offsets[i];
#if defined(__AVX512VBMI__)
    if (length <= 64) {
      _mm512_storeu_si512(to, _mm512_maskz_loadu_epi8(low_bits(length), at));
    } else
#else
    if (length <= wide && within_page(at, wide)) {
      copy<wide>(to, at);
    } else
#endif
      copy_any(to, at, length);
    to += length;
  }
  for (; i < n; to += lengths[i], ++i) copy_any(to, from + offsets[i], lengths[i]);
}

template <class Int, class Length>
void scatter_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  for (Count i = 0; i < n; from += lengths[i], ++i) copy_any(to + offsets[i], from, lengths[i]);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
