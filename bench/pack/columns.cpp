// bench/pack/columns.cpp: one column of a square matrix of three doubles (Balaji et al. 2007, figures 4 to 6), also larger
// ones.
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {

void add_columns(Catalogue& to) {
  for (const int n : {8, 64, 1024, 4096})
    to.push_back(
        {.name = fmt::format("column24_{}", n), .family = "column", .pattern = Pattern::irregular, .build = [=](std::byte*) {
           return vector(n, 1, n, contiguous(3, MPI_DOUBLE));
         }});
}

}  // namespace heddle::bench::pack
