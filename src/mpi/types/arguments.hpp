// mpi/types/arguments.hpp: buffer arguments, and whether Heddle knows their types. Includes process/numbers.hpp, handles.hpp,
// engine/arguments.hpp.
//
//   const VArgument send{sendbuf, sendcounts, sdispls, sendtype};   // MPI_Alltoallv's
#pragma once

#include "engine/arguments.hpp"
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

using Buffer = engine::Buffer<MPI_Datatype>;
using VArgument = engine::VArgument<MPI_Datatype>;
using WArgument = engine::WArgument<MPI_Datatype>;

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
