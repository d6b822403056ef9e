// mpi/types/handles.hpp: tells what a handle of a datatype stands for, without a call of the host.
// Every receive asks this.
//
//   if (known(type)) ...                                   // a derived datatype that Heddle has seen committed
//   if (predefined(type).pair) ...                         // MPI_DOUBLE_INT and the like
#pragma once

#include "layout/value_pair.hpp"
#include "mpi/process/host.hpp"
#include "threads/handle_table.hpp"
#include "threads/recent.hpp"

namespace heddle::mpi {

class Entry;

using Table = threads::HandleTable<MPI_Datatype, Entry>;

/// The table of the process.
extern constinit Table table;

/// True: the handle is a derived datatype that Heddle has seen committed.
inline bool known(MPI_Datatype type) noexcept { return table.find(type) != nullptr; }

/// Bytes of the largest predefined type: a complex of two long doubles.
constexpr layout::Bytes largest_element = 32;

/// Facts of a type that is not known(): a predefined type, or a type that Heddle leaves to the
/// host.
struct Predefined {
  layout::Bytes size = 0;  ///< 0: no such type.
  bool pair = false;       ///< A value and an int (pair()). It has holes.
};

using Pair = layout::Pair<MPI_Datatype>;

/// The pair type of that handle, such as MPI_FLOAT_INT. Null for all other types.
const Pair* pair(MPI_Datatype type);

/// The pair type whose signature is (first, second), or null.
const Pair* pair_of(MPI_Datatype first, MPI_Datatype second);

/// Sets `element` to MPI_INT for MPI_2INT, and so on for the other types of two equal elements
/// without a hole. False: any other type.
bool twin(MPI_Datatype type, MPI_Datatype& element);

/// Asks the host.
Predefined look_up_predefined(MPI_Datatype type);

/// The size of a type takes this many bits. The bit above them says whether it is a pair.
inline constexpr int size_bits = 6;
inline constinit threads::Recent<6, size_bits + 1> known_predefined;
constexpr layout::Bytes bytes_of_predefined(unsigned about) noexcept { return about & ((1U << size_bits) - 1); }
constexpr bool is_predefined_pair(unsigned about) noexcept { return about >> size_bits != 0; }

/// True: the type is known to be predefined. Does not ask the host.
inline bool seen_predefined(MPI_Datatype type) noexcept {
  unsigned about = 0;
  return known_predefined.find(type, about);
}

inline Predefined predefined(MPI_Datatype type) {
  unsigned about = 0;
  if (known_predefined.find(type, about)) [[likely]]
    return {bytes_of_predefined(about), is_predefined_pair(about)};
  return look_up_predefined(type);
}

}  // namespace heddle::mpi
