// fft2d/filter.cpp: see filter.hpp. A Gaussian of |f|^2 is the product of a Gaussian in x and one
// in y, so two small tables suffice.
#include "filter.hpp"

#include <cmath>

namespace fft2d {
namespace {

std::vector<double> gaussian(int n, double sigma) {
  std::vector<double> table(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const double f = static_cast<double>(k <= n / 2 ? k : k - n) / n;
    table[static_cast<std::size_t>(k)] = std::exp(-f * f / (2 * sigma * sigma));
  }
  return table;
}

}  // namespace

void Filter::operator()(Matrix& spectrum, Slab mine, int columns) const {
  const int rows = spectrum.columns();
  const double scale = 1.0 / (static_cast<double>(rows) * columns);
  const auto low_x = gaussian(columns, low), low_y = gaussian(rows, low);
  const auto high_x = gaussian(columns, high), high_y = gaussian(rows, high);
  const double pass = kind == Kind::lowpass ? 0 : 1, all = kind == Kind::highpass ? 1 : 0, most = 1 - all;
  for (int i = 0; i < mine.count; ++i) {
    const auto line = spectrum.row(i);
    const std::size_t x = static_cast<std::size_t>(mine.first) + static_cast<std::size_t>(i);
    const Complex mean = line[0] * scale;
    for (std::size_t y = 0; y < line.size(); ++y) {
      line[y] *= scale * gain * (all + most * high_x[x] * high_y[y] - pass * low_x[x] * low_y[y]);
    }
    if (x == 0) line[0] = mean;
  }
}

}  // namespace fft2d
