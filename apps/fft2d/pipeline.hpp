// fft2d/pipeline.hpp: the program's work: forward, filter, back.
//
//   my rows --FFT--> transpose --> my columns --FFT--> filter --FFT^-1--> transpose --> my rows --FFT^-1--> my rows
#pragma once

#include <mpi.h>

#include "buffer.hpp"
#include "filter.hpp"
#include "slabs.hpp"
#include "transpose.hpp"

namespace fft2d {

/// What one pass took, seconds, the slowest rank's of each. Ranks that come late to a transpose cost `waiting`, not
/// communication.
struct Times {
  double total = 0, forward_transpose = 0, backward_transpose = 0, transforms = 0, waiting = 0;
  [[nodiscard]] double communication() const { return forward_transpose + backward_transpose; }
};

class Pipeline {
 public:
  Pipeline(int rows, int columns, const Filter& filter, Way way, MPI_Comm comm);

  Matrix picture;   ///< My rows: fill them, then forward(), filter_and_back() in place.
  Matrix spectrum;  ///< My rows of the transposed spectrum, after forward().

  void forward(Times& times);
  void filter_and_back(Times& times);
  /// Both, and the total; times of the slowest rank, the same on all ranks.
  Times run();

  [[nodiscard]] Slab rows() const { return rows_; }
  [[nodiscard]] bool even() const { return there_.even(); }

 private:
  Pipeline(Slab rows, Slab columns, int all_rows, int all_columns, const Filter& filter, Way way, MPI_Comm comm);

  MPI_Comm comm_;
  Slab rows_, columns_;
  int all_columns_;
  Filter filter_;
  Buffers buffers_;
  Transpose there_, back_;
  RowTransform forward_rows_, forward_columns_, backward_columns_, backward_rows_;
};

}  // namespace fft2d
