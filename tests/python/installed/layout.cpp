// Packs a column of a matrix, as layout.hpp shows.
#include <layout/layout.hpp>
#include <layout/pack.hpp>

#include <array>
#include <cstdio>

int main() {
  using namespace heddle::layout;
  const std::array<double, 9> matrix{0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::array<double, 3> column{};
  pack(vector(3, 1, 3, basic(8)), 1, matrix.data() + 1, column.data());
  std::printf("%g %g %g\n", column[0], column[1], column[2]);
}
