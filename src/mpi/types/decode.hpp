// mpi/types/decode.hpp: from a handle to what its bytes look like, by asking the host what it was made of: by
// MPI_Type_get_envelope and MPI_Type_get_contents, whichever form (int or large count) it was made with. Includes
// process/host.hpp, layout/constructed.hpp, layout/signature.hpp.
#pragma once

#include "layout/constructed.hpp"
#include "layout/signature.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

using layout::Bytes;
using layout::CannotDecode;
using layout::Count;
using Decoded = layout::Decoded<MPI_Datatype>;
using Signature = layout::Signature<MPI_Datatype>;

/// Decodes any datatype, predefined ones included. Every level takes its bounds from the host, and the result is checked
/// against the host's size and true extent: a type that the two of us read differently is left alone.
/// Throws CannotDecode, std::overflow_error, std::invalid_argument, std::bad_alloc.
Decoded decode(MPI_Datatype type);

/// Named or Fortran-parametrized types: not made by the program, not to be freed.
bool names_predefined(int combiner);

/// The combiner alone; MPI_UNDEFINED if the host will not say.
int combiner_of(MPI_Datatype type);

}  // namespace heddle::mpi
