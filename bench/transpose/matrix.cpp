// bench/transpose/matrix.cpp: see matrix.hpp.
#include "transpose/matrix.hpp"

#include <fmt/format.h>

#include <cstring>

namespace heddle::bench::transpose {
namespace {

/// The value of message `number` at double `i` of the sender's memory. It is exact in a double, so
/// equality can be tested.
double word(long number, long i) { return static_cast<double>(number * 1009 + i); }

std::string differs(long at, double found, double wanted) { return fmt::format("double {} is {}, not {}", at, found, wanted); }

}  // namespace

Matrix::Matrix(long n, Origin origin) : memory_{static_cast<std::size_t>(n * n * element_bytes), origin}, n_{n} {}

void Matrix::write(long number) const {
  double* const to = data();
  for (long i = 0; i < n_ * n_ * doubles; ++i) to[i] = word(number, i);
}

void Matrix::wipe() const { std::memset(memory_.data(), 0xa5, memory_.size()); }

void Matrix::turn_into(double* to) const {
  const double* const from = data();
  for (long column = 0; column < n_; ++column)
    for (long row = 0; row < n_; ++row)
      for (long i = 0; i < doubles; ++i) *to++ = from[(row * n_ + column) * doubles + i];
}

std::string Matrix::compare_turned(long number) const {
  const double* const found = data();
  for (long row = 0; row < n_; ++row)
    for (long column = 0; column < n_; ++column)
      for (long i = 0; i < doubles; ++i) {
        const long at = (row * n_ + column) * doubles + i;
        const double wanted = word(number, (column * n_ + row) * doubles + i);
        if (found[at] != wanted) return differs(at, found[at], wanted);
      }
  return {};
}

std::string Matrix::compare(long number) const {
  for (long i = 0; i < n_ * n_ * doubles; ++i)
    if (data()[i] != word(number, i)) return differs(i, data()[i], word(number, i));
  return {};
}

Type column_major(long n) {
  const auto side = static_cast<int>(n);
  const Type element = contiguous(doubles, MPI_DOUBLE);
  const Type column = vector(side, 1, side, element);
  Type matrix = contiguous(side, resized(column, 0, element_bytes));
  MPI_Type_commit(matrix.address());
  return matrix;
}

}  // namespace heddle::bench::transpose
