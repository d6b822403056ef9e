// mpi/types/decode.hpp: from the handle of a datatype to its layout and signature. The host tells
// what the type was made of, by MPI_Type_get_envelope and MPI_Type_get_contents (contents.hpp).
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

/// Decodes any datatype, predefined types included. The bounds of every level come from the host.
/// The result is compared with the host's size and true extent. If Heddle and the host disagree
/// about a type, it is not decoded.
/// Throws CannotDecode, and of std: overflow_error, invalid_argument, bad_alloc.
Decoded decode(MPI_Datatype type);

/// True: the program has not made the type and must not free it. These are named types, types of
/// Fortran by precision and range, and types of MPI_Type_get_value_index.
bool names_predefined(int combiner);

/// The combiner alone. MPI_UNDEFINED: the host does not tell.
int combiner_of(MPI_Datatype type);

}  // namespace heddle::mpi
