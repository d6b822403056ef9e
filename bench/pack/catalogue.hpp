// bench/pack/catalogue.hpp: the fixed list of data layouts that `heddle bench pack` measures.
//
//   Catalogue catalogue = whole_catalogue();
//   for (const Case& one : catalogue) { Type type = one.build(arena); MPI_Type_commit(type.address()); ... }
//
// Each family has a file. If the yardstick (python/heddle/bench/yardstick.py) has a hand-written
// loop for a case, both have the same name.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/datatype.hpp"

namespace heddle::bench::pack {

using Bytes = std::size_t;

/// The kind of a case for the goals. Irregular cases are transposes, structs, nested types, strided
/// inner dimensions (a face whose innermost extent is a few elements), index lists and columns. All
/// others are regular.
enum class Pattern { regular, irregular };

struct Case {
  std::string name;
  std::string family;  ///< Kind of layout: contiguous, vector, column, transpose, face ...
  Pattern pattern;
  std::function<Type(std::byte* arena)>
      build;  ///< Makes the type, uncommitted. `arena`: the place of the data, for types with absolute addresses.
  int count = 1;
  Bytes start = 0;        ///< The buffer is arena + start.
  bool absolute = false;  ///< The type has absolute addresses: the buffer is MPI_BOTTOM.
};

using Catalogue = std::vector<Case>;

// The families, each in the file of its name.
void add_vectors(Catalogue& to);
void add_transposes(Catalogue& to);
void add_columns(Catalogue& to);
void add_faces(Catalogue& to);
void add_index_lists(Catalogue& to);
void add_structs(Catalogue& to);
void add_nested(Catalogue& to);
void add_ddtbench_grids(Catalogue& to);  // MILC, NAS LU and MG, FFT2D
void add_ddtbench_wrf(Catalogue& to);
void add_ddtbench_particles(Catalogue& to);  // LAMMPS, SPECFEM3D

Catalogue whole_catalogue();

}  // namespace heddle::bench::pack
