// mpi/types/contents.hpp: what a datatype was made of, from MPI_Type_get_envelope and MPI_Type_get_contents, whichever
// form (int or large count) it was made with. Includes host.hpp.
#pragma once

#include <span>
#include <vector>

#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// MPI's tables (MPI-5.0 §5.1.13) put counts, lengths and strides into integers, addresses or large counts, depending on
/// the constructor. Here they always stand one after the other in `numbers`, in the order of the constructor's arguments;
/// a struct is {count, lengths ..., displacements ...}.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  bool large = false;  ///< Made by a _c constructor: then `integers` holds only what is an int there, too.
  std::vector<layout::Count> integers;
  std::vector<layout::Count> numbers;
  std::vector<MPI_Datatype> types;  ///< To be freed by whoever asked, unless names_predefined().
};

/// Named or Fortran-parametrized types: not made by the program, not to be freed.
bool names_predefined(int combiner);

/// The combiner alone; MPI_UNDEFINED if the host will not say.
int combiner_of(MPI_Datatype type);

/// False if the host will not say.
bool read(MPI_Datatype type, Contents& contents);

}  // namespace heddle::mpi
