// mpi/types/decode.hpp: from a handle to what its bytes look like, by asking the host what it was made of.
// Includes process/host.hpp, layout/constructed.hpp, layout/signature.hpp.
#pragma once

#include "layout/constructed.hpp"
#include "layout/signature.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

using layout::Bytes;
using layout::CannotDecode;
using layout::Count;
using Signature = layout::Signature<MPI_Datatype>;

struct Decoded {
  layout::Layout layout;
  Signature signature;
};

/// Decodes any datatype, predefined ones included. Every level takes its bounds from the host, and the result is checked
/// against the host's size and true extent: a type that the two of us read differently is left alone.
/// Throws CannotDecode, std::overflow_error, std::invalid_argument, std::bad_alloc.
Decoded decode(MPI_Datatype type);

}  // namespace heddle::mpi
