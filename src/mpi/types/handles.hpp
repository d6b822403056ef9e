// mpi/types/handles.hpp: what a handle of a datatype stands for, without a call of the host: every receive asks. Includes
// process/host.hpp, threads/, layout/pair.hpp.
//
//   if (known(type)) ...                                   // a derived datatype that Heddle has seen committed
//   if (predefined(type).pair) ...                         // MPI_DOUBLE_INT and the like
#pragma once

#include "layout/pair.hpp"
#include "mpi/process/host.hpp"
#include "threads/recent.hpp"
#include "threads/table.hpp"

namespace heddle::mpi {

class Entry;

using Table = threads::HandleTable<MPI_Datatype, Entry>;

/// The table of the process.
extern constinit Table table;

/// Whether a handle is a derived datatype that Heddle has seen committed.
inline bool known(MPI_Datatype type) noexcept { return table.find(type) != nullptr; }

/// Of predefined types, bytes: a complex of two long doubles.
constexpr layout::Bytes largest_element = 32;

/// What is asked of a type that is not known(): predefined, or one that Heddle leaves to the host.
struct Predefined {
  layout::Bytes size = 0;  ///< 0: no such type.
  bool pair = false;       ///< A value and an int (pair()): with holes.
};

using Pair = layout::Pair<MPI_Datatype>;

/// MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT; or null.
const Pair* pair(MPI_Datatype type);

/// The pair type whose signature is first, second; or null.
const Pair* pair_of(MPI_Datatype first, MPI_Datatype second);

/// MPI_INT for MPI_2INT and the like: two of one type without a hole. False for all others.
bool twin(MPI_Datatype type, MPI_Datatype& element);

/// Asks the host.
Predefined look_up_predefined(MPI_Datatype type);

/// Size, and above it whether it is a pair.
inline constexpr int size_bits = 6;
inline constinit threads::Recent<6, size_bits + 1> known_predefined;

/// Whether a type is known to be predefined, without asking anybody.
inline bool seen_predefined(MPI_Datatype type) noexcept {
  unsigned about = 0;
  return known_predefined.find(type, about);
}

inline Predefined predefined(MPI_Datatype type) {
  unsigned about = 0;
  if (known_predefined.find(type, about)) [[likely]]
    return {static_cast<layout::Bytes>(about & ((1U << size_bits) - 1)), about >> size_bits != 0};
  return look_up_predefined(type);
}

}  // namespace heddle::mpi
