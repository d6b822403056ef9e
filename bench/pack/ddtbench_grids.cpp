// bench/pack/ddtbench_grids.cpp: the grid patterns MILC, NAS LU, NAS MG and FFT2D of DDTBench
// (Schneider, Gerstenberger and Hoefler 2012, "Micro-applications for communication data access
// patterns and MPI datatypes"). They have DDTBench's parameters, and larger ones for sizes of
// messages that those do not give. (No grid of NAS LU that fits into memory has a message of a
// megabyte.)
#include <fmt/format.h>

#include <array>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

/// MILC su3_zdown: one z-slice of both parities of a 4-D lattice. An element is an su3 vector
/// (three complex floats, 24 bytes).
Case milc(std::array<int, 4> n) {
  const int x = n[0], y = n[1], z = n[2], t = n[3];
  return {.name = fmt::format("MILC_su3_zdown_{}_{}_{}_{}", x, y, z, t),
          .family = "nested",
          .pattern = Pattern::regular,
          .build = [=](std::byte*) {
            const Type su3 = contiguous(6, MPI_FLOAT);
            const Type slice = vector(t, x * y / 2, x * y * z / 2, su3);
            return hvector(2, 1, MPI_Aint{24} * x * y * z * t / 2, slice);
          }};
}

/// NAS LU: a grid of points of five doubles, with a rim of one point. In x, the case is a
/// contiguous row. In y, it is a column.
Case lu(char direction, int n) {
  const Bytes point = 5 * sizeof(double), row = point * Bytes(n + 2);
  if (direction == 'x')
    return {.name = fmt::format("NAS_LU_x_{}", n),
            .family = "contiguous",
            .pattern = Pattern::regular,
            .build = [=](std::byte*) { return contiguous(5 * n, MPI_DOUBLE); },
            .start = row * Bytes(n) + point};
  return {.name = fmt::format("NAS_LU_y_{}", n),
          .family = "column",
          .pattern = Pattern::irregular,
          .build = [=](std::byte*) { return vector(n, 1, n + 2, contiguous(5, MPI_DOUBLE)); },
          .start = row + point * Bytes(n)};
}

/// NAS MG: the inner faces of a grid of doubles, x fastest.
Case mg(char direction, int nx, int ny, int nz) {
  const auto at = [=](int x, int y, int z) {
    return sizeof(double) * (Bytes(x) + Bytes(nx) * (Bytes(y) + Bytes(ny) * Bytes(z)));
  };
  Case face{.name = fmt::format("NAS_MG_{}_{}_{}_{}", direction, nx, ny, nz),
            .family = "face",
            .pattern = Pattern::regular,
            .build = {}};
  if (direction == 'x') {
    face.pattern = Pattern::irregular;
    face.start = at(nx - 2, 1, 1);
    face.build = [=](std::byte*) { return hvector(nz - 2, 1, MPI_Aint{8} * nx * ny, vector(ny - 2, 1, nx, MPI_DOUBLE)); };
  } else if (direction == 'y') {
    face.start = at(1, ny - 2, 1);
    face.build = [=](std::byte*) { return vector(nz - 2, nx - 2, nx * ny, MPI_DOUBLE); };
  } else {
    face.start = at(1, 1, 1);
    face.build = [=](std::byte*) { return vector(ny - 2, nx - 2, nx, MPI_DOUBLE); };
  }
  return face;
}

/// FFT2D over `ranks` ranks. The block for a peer is a box of rows. A received block (`scatter`) is
/// stored transposed.
Case fft(bool scatter, int n, int ranks) {
  const int rows = n / ranks;
  return {.name = fmt::format("FFT2D_{}_{}", scatter ? "transposed" : "block", n),
          .family = scatter ? "transpose" : "vector",
          .pattern = scatter ? Pattern::irregular : Pattern::regular,
          .build = [=](std::byte*) {
            const Type complex = contiguous(2, MPI_DOUBLE);
            if (scatter) return contiguous(rows, resized(vector(rows, 1, n, complex), 0, 16));
            return resized(vector(rows, rows, n, complex), 0, MPI_Aint{16} * rows);
          }};
}

}  // namespace

void add_ddtbench_grids(Catalogue& to) {
  for (const std::array<int, 4> n : {std::array{8, 8, 8, 8}, {8, 8, 8, 16}, {8, 8, 16, 16}, {16, 16, 16, 16}, {32, 32, 32, 64}})
    to.push_back(milc(n));
  for (const int n : {12, 33, 64, 102, 162, 408, 1020})
    for (const char direction : {'x', 'y'}) to.push_back(lu(direction, n));
  for (const std::array<int, 3> n : {std::array{34, 18, 18}, {130, 66, 66}, {258, 130, 130}, {514, 258, 258}})
    for (const char direction : {'x', 'y', 'z'}) to.push_back(mg(direction, n[0], n[1], n[2]));
  to.push_back(mg('x', 34, 514, 514));  // faces of 2 MiB each
  to.push_back(mg('y', 514, 34, 514));
  to.push_back(mg('z', 514, 514, 34));
  for (const int n : {128, 256, 512, 768, 1024, 1536})
    for (const bool scatter : {false, true}) to.push_back(fft(scatter, n, 4));
}

}  // namespace heddle::bench::pack
