// bench/pack/transposes.cpp: a whole n × n matrix, read by columns. A column is a vector, resized
// so that the next column starts one element later (Balaji et al. 2007 §5.2; the FFT's transpose of
// Hoefler and Gottlieb 2010 is similar).
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

Type transposed(int n, const Type& element, int bytes) { return contiguous(n, resized(vector(n, 1, n, element), 0, bytes)); }

Case transpose_case(int bytes, int n) {
  return {.name = fmt::format("transpose_{}_{}", bytes, n),
          .family = "transpose",
          .pattern = Pattern::irregular,
          .build = [=](std::byte*) {
            return bytes == 8 ? transposed(n, MPI_DOUBLE, 8) : transposed(n, contiguous(bytes / 8, MPI_DOUBLE), bytes);
          }};
}

}  // namespace

void add_transposes(Catalogue& to) {
  to.push_back(transpose_case(24, 8));  // Balaji et al., figure 4
  for (const int n : {64, 256, 1024, 2048})
    for (const int bytes : {8, 16, 24}) to.push_back(transpose_case(bytes, n));
}

}  // namespace heddle::bench::pack
