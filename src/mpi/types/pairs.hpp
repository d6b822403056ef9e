// mpi/types/pairs.hpp: the predefined types that are made of two others. Includes decode.hpp.
#pragma once

#include "mpi/types/decode.hpp"

namespace heddle::mpi {

/// {a value, an int} as C lays them out (MPI-5.0 §6.9.4): with a hole between or behind them, so packed and laid out differ.
struct Pair {
  MPI_Datatype pair, value;
  Bytes value_size, int_at, extent;

  [[nodiscard]] layout::Layout layout() const;
  [[nodiscard]] Signature signature() const { return then(layout::one(value, value_size), layout::one(MPI_INT, sizeof(int))); }
};

/// MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT. The int is MPI_INT in all.
const Pair* pair(MPI_Datatype type);

/// The pair type whose signature is first, second; or null.
const Pair* pair_of(MPI_Datatype first, MPI_Datatype second);

/// MPI_INT for MPI_2INT and the like: two of one type without a hole. False for all others.
bool twin(MPI_Datatype type, MPI_Datatype& element);

}  // namespace heddle::mpi
