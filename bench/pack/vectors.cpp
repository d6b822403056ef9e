// bench/pack/vectors.cpp: contiguous data, plain vectors of equal blocks, and the vectors of Wu,
// Wyckoff and Panda 2004, figure 2.
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

constexpr int sizes[] = {8 << 10, 128 << 10, 4 << 20};  // packed bytes, for both caches and memory

Case contiguous_case(int bytes) {
  return {.name = fmt::format("memcpy_{}", bytes),
          .family = "contiguous",
          .pattern = Pattern::regular,
          .build = [bytes](std::byte*) { return contiguous(bytes / 8, MPI_DOUBLE); }};
}

/// Blocks of `block` bytes. A block begins every `factor` * `block` bytes. It has doubles if its
/// size allows.
Case vector_case(int bytes, int factor, int block) {
  return {.name = fmt::format("vector_{}_stride{}_{}", block, block * factor, bytes),
          .family = "vector",
          .pattern = Pattern::regular,
          .build = [=](std::byte*) {
            const int unit = block % 8 == 0 ? 8 : 4;
            return vector(bytes / block, block / unit, block / unit * factor, unit == 8 ? MPI_DOUBLE : MPI_INT);
          }};
}

/// Some columns of an integer array of 4096 columns.
Case columns_case(int rows, int columns) {
  return {.name = fmt::format("vector_{}_rows_{}_of_4096_ints", rows, columns),
          .family = "vector",
          .pattern = Pattern::regular,
          .build = [=](std::byte*) { return vector(rows, columns, 4096, MPI_INT); }};
}

}  // namespace

void add_vectors(Catalogue& to) {
  for (const int bytes : sizes) {
    to.push_back(contiguous_case(bytes));
    for (const int factor : {2, 8})
      for (const int block : {4, 8, 12, 16, 24, 40, 64, 256, 1024}) to.push_back(vector_case(bytes, factor, block));
  }
  for (int columns = 1; columns <= 2048; columns *= 2) to.push_back(columns_case(128, columns));
  to.push_back(columns_case(1024, 2048));
}

}  // namespace heddle::bench::pack
