// bench/pack/columns.cpp: one column of a square matrix of three doubles (Balaji et al. 2007,
// figures 4 to 6), of larger matrices, and of a tall matrix whose column exceeds the second-level
// cache.
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {

void add_columns(Catalogue& to) {
  const auto column = [&](int rows, int columns) {
    to.push_back(
        {.name = fmt::format("column24_{}", rows), .family = "column", .pattern = Pattern::irregular, .build = [=](std::byte*) {
           return vector(rows, 1, columns, contiguous(3, MPI_DOUBLE));
         }});
  };
  for (const int n : {8, 64, 1024, 4096}) column(n, n);
  column(65'536, 128);
}

}  // namespace heddle::bench::pack
