// mpi/sparse/way.hpp: how the sparse exchanges of a communicator go. Includes exchange/shadow_comm.hpp.
#pragma once

#include "mpi/exchange/shadow_comm.hpp"

namespace heddle::mpi::sparse {

/// The same on all ranks, whatever their environments say. Collective at the first call. Throws std::bad_alloc.
const SparseWay& way_of(ShadowComm& own);

}  // namespace heddle::mpi::sparse
