// bench/files/shape.hpp: the part of an array in a file that a rank holds, and its place in the
// rank's memory.
//
//   const Case columns = cases({"matrix"}, false).front();
//   const Shape mine = columns.shape(rank, ranks);
//   mine.rows(0, mine.whole[0], [&](long memory, long file, long words) { ... });   // row by row
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "common/datatype.hpp"

namespace heddle::bench::files {

/// The word of the arrays. Each word of a file is its own position, so every byte can be checked.
using Word = double;
constexpr long word_bytes = sizeof(Word);

using Four = std::array<long, 4>;

/// A box of an array in C order, in elements of `site` words. Arrays of fewer dimensions have ones
/// behind their first dimension.
struct Shape {
  Four whole, size, start;
  Four halo = {};  ///< Cells around the box in memory, on both sides of each dimension.
  long gap = 0;    ///< Words between the first index of dimension 0 and all others in memory.
  long site = 1;

  [[nodiscard]] long row_words() const {
    return whole[1] * whole[2] * whole[3] * site;
  }  ///< Words of one index of dimension 0.
  [[nodiscard]] long total_words() const { return whole[0] * row_words(); }
  [[nodiscard]] long words() const { return size[0] * size[1] * size[2] * size[3] * site; }
  [[nodiscard]] long memory_words() const;
  [[nodiscard]] bool contiguous_memory() const { return gap == 0 && halo == Four{}; }
  /// Words of the box with an index of dimension 0 in [first, last).
  [[nodiscard]] long words_within(long first, long last) const;
  [[nodiscard]] long file_start() const;  ///< The position of the box's first word.

  /// Calls `visit(memory, file, words)` for each row of the box with an index of dimension 0 in
  /// [first, last). The arguments are positions in words, and a length.
  template <class Visit>
  void rows(long first, long last, Visit visit) const;

  [[nodiscard]] Type element() const;
  [[nodiscard]] Type file_type() const;
  [[nodiscard]] Type memory_type() const;  ///< Not for contiguous memory.
};

struct Case {
  std::string name;
  std::function<Shape(int rank, int ranks)> shape;
  bool view = true;          ///< The rank's bytes in the file have holes, so it needs a view.
  bool pointer = false;      ///< By the individual pointer.
  bool independent = false;  ///< Each rank for itself.
};

/// The cases of these groups: "matrix", "blocks", "gap", "rows", "lattice".
std::vector<Case> cases(const std::vector<std::string>& groups, bool quick);

template <class Visit>
void Shape::rows(long first, long last, Visit visit) const {
  Four wide;
  for (std::size_t d = 0; d < 4; ++d) wide[d] = size[d] + 2 * halo[d];
  const long from = std::max(first - start[0], 0L), to = std::min(last - start[0], size[0]);
  for (long i = from; i < to; ++i)
    for (long j = 0; j < size[1]; ++j)
      for (long k = 0; k < size[2]; ++k) {
        const long cell = (((i + halo[0]) * wide[1] + j + halo[1]) * wide[2] + k + halo[2]) * wide[3] + halo[3];
        const long place = (((start[0] + i) * whole[1] + start[1] + j) * whole[2] + start[2] + k) * whole[3] + start[3];
        visit(cell * site + (i > 0 ? gap : 0), place * site, size[3] * site);
      }
}

}  // namespace heddle::bench::files
