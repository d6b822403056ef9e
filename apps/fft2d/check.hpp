// fft2d/check.hpp: checks the result against a serial 2-D FFT on rank 0, and makes a fingerprint to
// compare runs bit by bit.
#pragma once

#include <mpi.h>

#include <string>

#include "buffer.hpp"
#include "filter.hpp"

namespace fft2d {

/// Returns ||a - b|| / ||b|| on rank 0. a: the matrix whose slabs `mine` lie on the ranks. b: the
/// `whole` matrix on rank 0.
double relative_error(const Matrix& mine, const Matrix* whole, MPI_Comm comm);

/// Computes the same result on one rank: the whole picture in one array, and FFTW's own 2-D
/// transform.
struct Serial {
  Matrix picture;   ///< The given picture; after `filter`, the filtered picture.
  Matrix spectrum;  ///< Transposed, like the spectrum of the ranks.
  double seconds = 0;

  explicit Serial(Matrix picture_to_filter);
  void forward();
  void filter(const Filter& response);  ///< Filters the spectrum and transforms it back.
};

/// A hash of all bits of the matrix (FNV-1a over the rows' FNV-1a): 64 bits in hexadecimal. Any
/// number of ranks gives the same.
std::string fingerprint(const Matrix& mine, int rows, MPI_Comm comm);

}  // namespace fft2d
