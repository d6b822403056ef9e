// bench/pack/catalogue.cpp: the order of the families in measurements and tables.
#include "pack/catalogue.hpp"

namespace heddle::bench::pack {

Catalogue whole_catalogue() {
  Catalogue catalogue;
  for (const auto add : {add_vectors, add_columns, add_transposes, add_faces, add_index_lists, add_structs, add_nested,
                         add_ddtbench_grids, add_ddtbench_wrf, add_ddtbench_particles})
    add(catalogue);
  return catalogue;
}

}  // namespace heddle::bench::pack
