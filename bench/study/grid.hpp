// bench/study/grid.hpp: the ranks as a periodic grid, the sides of a rank's field, and the regions
// that neighbours exchange. Includes MPI.
//
//   const Grid grid{MPI_COMM_WORLD};                     // 1 rank: itself all round; 2: side by side; 4: 2 x 2
//   for (const Side& side : phases({512, 1}, false)[0])  // this rank sends side.out to grid.neighbour(side.x, side.y)
#pragma once

#include <mpi.h>

#include <vector>

namespace heddle::bench::study {

class Grid {
 public:
  explicit Grid(MPI_Comm comm) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank_);
    for (int rows = 1; rows * rows <= ranks; ++rows)
      if (ranks % rows == 0) rows_ = rows;
    columns_ = ranks / rows_;
  }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int row() const { return rank_ / columns_; }
  [[nodiscard]] int column() const { return rank_ % columns_; }
  /// The rank x columns to the right and y rows further down; -1 and 1 only.
  [[nodiscard]] int neighbour(int x, int y) const {
    return (row() + y + rows_) % rows_ * columns_ + (column() + x + columns_) % columns_;
  }

 private:
  int rank_ = 0, rows_ = 1, columns_ = 1;
};

/// A square of `side` x `side` cells with a halo around it.
struct Shape {
  int side, halo;
  [[nodiscard]] int pitch() const { return side + 2 * halo; }
};

/// A box of cells. (0, 0) is the first cell of the halo.
struct Region {
  int x, y, width, height;
  [[nodiscard]] int cells() const { return width * height; }
};

/// A message to the neighbour at (x, y). A message of the same direction arrives from the neighbour
/// at (-x, -y).
struct Side {
  int x, y;
  Region out, in;
};

/// The messages of one exchange, in phases: a phase begins when the phase before has ended. With
/// corners, the second phase sends rows together with the corners that arrived in the first phase.
inline std::vector<std::vector<Side>> phases(const Shape& shape, bool corners) {
  const int side = shape.side, halo = shape.halo, end = side + halo;
  const int first = corners ? 0 : halo, width = corners ? shape.pitch() : side;
  const std::vector<Side> sideways = {{-1, 0, {halo, halo, halo, side}, {end, halo, halo, side}},
                                      {1, 0, {side, halo, halo, side}, {0, halo, halo, side}}};
  const std::vector<Side> vertical = {{0, -1, {first, halo, width, halo}, {first, end, width, halo}},
                                      {0, 1, {first, side, width, halo}, {first, 0, width, halo}}};
  if (corners) return {sideways, vertical};
  return {{sideways[0], sideways[1], vertical[0], vertical[1]}};
}

}  // namespace heddle::bench::study
