// fft2d/filter.hpp: filters in frequency space. All are real and even, so a real picture stays
// real.
#pragma once

#include <string>
#include <vector>

#include "buffer.hpp"
#include "slabs.hpp"

namespace fft2d {

enum class Kind { lowpass, highpass, bandpass };

/// Gaussians of the spatial frequency f, in cycles a pixel (0 ... 0.5):
///   lowpass   exp(-f^2 / 2 high^2)
///   highpass  1 - exp(-f^2 / 2 low^2)
///   bandpass  exp(-f^2 / 2 high^2) - exp(-f^2 / 2 low^2)
/// times `gain`. The mean of the picture (f = 0) stays unchanged, so the result is a picture again.
struct Filter {
  Kind kind = Kind::bandpass;
  double low = 0.01;
  double high = 0.15;
  double gain = 1;

  /// Multiplies a transposed spectrum (rows are horizontal frequencies) by the response, and by
  /// 1 / (rows · columns).
  /// @param spectrum  rows `mine` of the `columns` x `rows` transposed spectrum of a rows x columns
  /// picture
  void operator()(Matrix& spectrum, Slab mine, int columns) const;
};

}  // namespace fft2d
