// mpi/types/decode.hpp: from a handle to what its bytes look like, by asking the host what it was made of.
// Includes layout/layout.hpp, signature.hpp.
#pragma once

#include <stdexcept>
#include <string>

#include "layout/layout.hpp"
#include "mpi/types/signature.hpp"

namespace heddle::mpi {

struct Decoded {
  layout::Layout layout;
  Signature signature;
};

/// A datatype that Heddle leaves to the host, and why.
struct CannotDecode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Decodes any datatype, predefined ones included. Every level takes its bounds from the host, and the result is checked
/// against the host's size and true extent: a type that the two of us read differently is left alone.
/// Throws CannotDecode, std::overflow_error, std::invalid_argument, std::bad_alloc.
Decoded decode(MPI_Datatype type);

}  // namespace heddle::mpi
