// fft2d/loops.cpp: see loops.hpp.
#include "loops.hpp"

#include <algorithm>
#include <cstddef>

namespace fft2d {
namespace {

// Two cache lines of 8 rows on both sides. Of 4, 8, 16, 32, 64, two levels of them and oblong ones the quickest, or within the
// noise of it, from 512 x 256 to 8000 x 4000; two to four times as quick as without tiles where the caches do not hold it.
constexpr int tile = 8;

}  // namespace

void pack(const Matrix& from, std::span<const Slab> columns, Complex* blocks) {
  for (const Slab block : columns) {
    for (int i = 0; i < from.rows(); ++i) blocks = std::copy_n(from.row(i).data() + block.first, block.count, blocks);
  }
}

void turn(const Complex* from, int rows, int columns, Complex* to) {
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
  for (std::size_t top = 0; top < height; top += tile) {
    const std::size_t bottom = std::min(top + tile, height);
    for (std::size_t left = 0; left < width; left += tile) {
      const std::size_t right = std::min(left + tile, width);
      for (std::size_t j = left; j < right; ++j) {
        for (std::size_t i = top; i < bottom; ++i) to[j * height + i] = from[i * width + j];
      }
    }
  }
}

}  // namespace fft2d
