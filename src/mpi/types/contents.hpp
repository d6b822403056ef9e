// mpi/types/contents.hpp: what a datatype was made of, from MPI_Type_get_envelope and MPI_Type_get_contents, whichever
// form (int or large count) it was made with. Includes host.hpp, layout/constructed.hpp.
#pragma once

#include <vector>

#include "layout/constructed.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  layout::Made made;                ///< Of a struct: {count, lengths ..., displacements ...}.
  std::vector<MPI_Datatype> types;  ///< To be freed by whoever asked, unless names_predefined().
};

/// Named or Fortran-parametrized types: not made by the program, not to be freed.
bool names_predefined(int combiner);

/// The combiner alone; MPI_UNDEFINED if the host will not say.
int combiner_of(MPI_Datatype type);

/// False if the host will not say.
bool read(MPI_Datatype type, Contents& contents);

}  // namespace heddle::mpi
