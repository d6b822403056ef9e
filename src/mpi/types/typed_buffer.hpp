// mpi/types/typed_buffer.hpp: buffer arguments, and whether Heddle knows their types.
//
//   const VArgument send{sendbuf, sendcounts, sdispls, sendtype};   // MPI_Alltoallv's
#pragma once

#include "engine/base/arguments.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/numbers.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {

/// True: Heddle knows one of the `n` types.
inline bool any_known(const MPI_Datatype* types, int n) noexcept {
  for (int i = 0; types && i < n; ++i)
    if (known(types[i])) return true;
  return false;
}

using Buffer = engine::Buffer<MPI_Datatype>;
using VArgument = engine::VArgument<MPI_Datatype>;
using WArgument = engine::WArgument<MPI_Datatype>;

/// True: Heddle knows a type of the argument. `ranks`: the number of its blocks.
inline bool any_known(const Buffer& data, int /*ranks*/) noexcept { return known(data.type); }
inline bool any_known(const VArgument& data, int /*ranks*/) noexcept { return known(data.type); }
inline bool any_known(const WArgument& data, int ranks) noexcept { return any_known(data.types, ranks); }

/// True: Heddle knows the type of neither side. The types of the w procedures are looked at later,
/// one by one.
template <class Sent, class Received>
bool none_known(const Sent& send, const Received& receive) noexcept {
  return !known(send.type) && !known(receive.type);
}
inline bool none_known(const WArgument& /*send*/, const WArgument& /*receive*/) noexcept { return false; }

}  // namespace heddle::mpi
