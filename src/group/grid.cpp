// group/grid.cpp: nests as numbers, and back.
#include "group/grid.hpp"

#include <limits>

namespace heddle::group {

void GridNumbers::write(const Piece& piece, Rank* to) {
  *to++ = piece.first;
  *to++ = piece.skip;
  *to++ = piece.dim[piece.dims - 1].step;
  for (int d = 0; d + 1 < piece.dims; ++d, to += per_dim) {
    const auto count = static_cast<std::uint64_t>(piece.dim[d].count);
    const std::uint64_t reciprocal = std::numeric_limits<std::uint64_t>::max() / count + 1;  // count is at least 2
    to[0] = piece.dim[d].count;
    to[1] = piece.dim[d].step;
    std::memcpy(to + 2, &reciprocal, sizeof reciprocal);
  }
}

Piece GridNumbers::read(const Rank* numbers, int length, Rank size) {
  Piece piece;
  piece.first = numbers[0];
  piece.skip = numbers[1];
  piece.size = size;
  piece.dims = 1 + (length - fixed) / per_dim;
  for (int d = 0; d + 1 < piece.dims; ++d) piece.dim[d] = {numbers[fixed + per_dim * d], numbers[fixed + per_dim * d + 1]};
  piece.dim[piece.dims - 1] = {0, numbers[2]};
  return piece;
}

Grid::Grid(const Piece& piece) : inner_(piece.dims - 1) {
  std::shared_ptr<Rank[]> numbers(new Rank[GridNumbers::length(piece)]);
  GridNumbers::write(piece, numbers.get());
  numbers_ = std::move(numbers);
}

}  // namespace heddle::group
