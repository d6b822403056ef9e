// fft2d/check.hpp: is it right? Against a serial 2-D FFT on rank 0, and a fingerprint to compare runs bit by bit.
#pragma once

#include <mpi.h>

#include <string>

#include "buffer.hpp"
#include "filter.hpp"

namespace fft2d {

/// ||a - b|| / ||b|| over the whole matrix, whose rows lie in slabs on the ranks and whole on rank 0 (where it is returned).
double relative_error(const Matrix& mine, const Matrix* whole, MPI_Comm comm);

/// The serial way to the same result, on one rank: the whole picture in one array, and FFTW's own 2-D transform.
struct Serial {
  Matrix picture;   ///< Filtered, when `filter` has been applied; before that, what it was given.
  Matrix spectrum;  ///< Transposed, as the ranks have theirs.
  double seconds = 0;

  explicit Serial(Matrix picture_to_filter);
  void forward();
  void filter(const Filter& response);  ///< Filters the spectrum and transforms it back.
};

/// 64 bits in hexadecimal of all bits of the matrix (FNV-1a over the rows' FNV-1a); the same for any number of ranks.
std::string fingerprint(const Matrix& mine, int rows, MPI_Comm comm);

}  // namespace fft2d
