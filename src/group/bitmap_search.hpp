// group/bitmap_search.hpp: rank and select within lines, for bitmap_portable.cpp and
// bitmap_bmi2.cpp only. It may use nothing of the standard library: inline functions compiled for
// the newer processor might also be linked for the older.
#pragma once

#include "group/bitmap.hpp"

namespace heddle::group::bitmap {
namespace {

/// The place of the i-th one (from 0) of a word.
inline std::uint32_t select_in(std::uint64_t word, std::uint32_t i) {
#ifdef __BMI2__
  return static_cast<std::uint32_t>(__builtin_ctzll(__builtin_ia32_pdep_di(std::uint64_t{1} << i, word)));
#else
  std::uint32_t place = 0;
  for (std::uint32_t half = 32; half > 0; half /= 2) {
    const std::uint64_t low = word & ((std::uint64_t{1} << half) - 1);
    const auto ones = static_cast<std::uint32_t>(__builtin_popcountll(low));
    if (i < ones) {
      word = low;
    } else {
      i -= ones;
      word >>= half;
      place += half;
    }
  }
  return place;
#endif
}

inline std::uint32_t select_member(View map, std::uint32_t rank) {
  const auto* const index = reinterpret_cast<const Entry*>(map.line + map.filled);
  std::uint32_t low = index[rank >> map.shift];
  const std::uint32_t high = index[(rank >> map.shift) + 1];
  // The last line that begins at or before the member: mostly one of the next three.
  for (std::uint32_t k = 1, first = low; k <= 3; ++k) {
    const std::uint32_t at = first + k < high ? first + k : high;
    low = map.line[at].before <= rank ? at : low;
  }
  if (low < high && map.line[low + 1].before <= rank) {
    for (std::uint32_t last = high; low < last;) {
      const std::uint32_t middle = (low + last + 1) / 2;
      if (map.line[middle].before <= rank) {
        low = middle;
      } else {
        last = middle - 1;
      }
    }
  }
  const Bitmap::Line& line = map.line[low];
  const std::uint32_t left = rank - line.before;
  // The word, and the ones before it. They are counted, because a branch would be mispredicted
  // every other time.
  std::uint32_t ones[Bitmap::words];  // before each word
  std::uint32_t sum = 0, word = 0;
  for (std::uint32_t w = 0; w + 1 < Bitmap::words; ++w) {
    ones[w] = sum;
    sum += static_cast<std::uint32_t>(__builtin_popcountll(line.word[w]));
    word += static_cast<std::uint32_t>(sum <= left);
  }
  ones[Bitmap::words - 1] = sum;
  return low * Bitmap::bits + 64 * word + select_in(line.word[word], left - ones[word]);
}

inline std::uint32_t count_before(View map, std::uint32_t bit) {
  const Bitmap::Line& line = map.line[bit / Bitmap::bits];
  const std::uint32_t place = bit % Bitmap::bits;
  std::uint32_t ones = line.before;
  for (std::uint32_t w = 0; w < place / 64; ++w) ones += static_cast<std::uint32_t>(__builtin_popcountll(line.word[w]));
  return ones +
         static_cast<std::uint32_t>(__builtin_popcountll(line.word[place / 64] & ((std::uint64_t{1} << (place % 64)) - 1)));
}

}  // namespace
}  // namespace heddle::group::bitmap
