// fft2d/pipeline.hpp: the program's work: transform, filter, transform back.
//
//   my rows --FFT--> transpose --> my columns --FFT--> filter --FFT^-1--> transpose --> my rows --FFT^-1--> my rows
#pragma once

#include <mpi.h>

#include "buffer.hpp"
#include "filter.hpp"
#include "slabs.hpp"
#include "transpose.hpp"

namespace fft2d {

/// Seconds of one pass. Each time is that of the slowest rank. Ranks that come late to a transpose
/// count as `waiting`, not as communication.
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
  /// Runs both, and measures the total. Returns the same times on all ranks.
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
