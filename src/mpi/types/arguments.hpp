// mpi/types/arguments.hpp: buffer arguments as procedures of MPI have them. Includes process/numbers.hpp, handles.hpp.
//
//   const VArgument send{sendbuf, sendcounts, sdispls, sendtype};   // MPI_Alltoallv's
#pragma once

#include "mpi/process/host.hpp"
#include "mpi/process/numbers.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {

/// Whether one of a row of types is.
inline bool any_known(const MPI_Datatype* types, int n) noexcept {
  for (int i = 0; types && i < n; ++i)
    if (known(types[i])) return true;
  return false;
}

/// A buffer argument: `count` elements of `type` (or, for collectives, as many for each rank).
struct Buffer {
  const void* address;
  Count count;
  MPI_Datatype type;
};

/// A buffer argument of the v procedures: for rank i counts[i] elements of `type` at displacements[i] extents.
struct VArgument {
  const void* address;
  Numbers counts, displacements;
  MPI_Datatype type;
};

/// A buffer argument of the w procedures: types differ, displacements are in bytes.
struct WArgument {
  const void* address;
  Numbers counts, displacements;
  const MPI_Datatype* types;
};

/// Whether all its arrays are there.
inline bool whole(const Buffer& /*data*/) noexcept { return true; }
inline bool whole(const VArgument& data) noexcept { return data.counts.array() && data.displacements.array(); }
inline bool whole(const WArgument& data) noexcept { return data.counts.array() && data.displacements.array() && data.types; }

/// Whether Heddle knows a type that such an argument names for `ranks` ranks.
inline bool any_known(const Buffer& data, int /*ranks*/) noexcept { return known(data.type); }
inline bool any_known(const VArgument& data, int /*ranks*/) noexcept { return known(data.type); }
inline bool any_known(const WArgument& data, int ranks) noexcept { return any_known(data.types, ranks); }

/// Whether Heddle knows neither side's type. The w procedures' are looked at one by one, later.
template <class Sent, class Received>
bool none_known(const Sent& send, const Received& receive) noexcept {
  return !known(send.type) && !known(receive.type);
}
inline bool none_known(const WArgument& /*send*/, const WArgument& /*receive*/) noexcept { return false; }

}  // namespace heddle::mpi
