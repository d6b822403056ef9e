// bench/pack/catalogue.hpp: the fixed list of data layouts that `heddle bench pack` measures. Includes common/ and MPI only.
//
//   Catalogue catalogue = whole_catalogue();
//   for (const Case& one : catalogue) { Type type = one.build(arena); MPI_Type_commit(type.address()); ... }
//
// One file per family. Cases that the plain hand-written loops of the yardstick have too carry the yardstick's names.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/datatype.hpp"

namespace heddle::bench::pack {

using Bytes = std::size_t;

/// The kind of a case for the goals. Irregular cases are transposes, structs, nested types, strided inner dimensions (a face
/// whose innermost extent is a few elements), index lists and columns. All others are regular.
enum class Pattern { regular, irregular };

struct Case {
  std::string name;
  std::string family;  ///< The kind of layout: contiguous, vector, column, transpose, face, index, struct, nested.
  Pattern pattern;
  std::function<Type(std::byte* arena)>
      build;  ///< Uncommitted. `arena`: where the data will lie, for types of absolute addresses.
  int count = 1;
  Bytes start = 0;        ///< The buffer is arena + start,
  bool absolute = false;  ///< or MPI_BOTTOM, if the type holds addresses.
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
