// mpi/exchange/topology.hpp: where the ranks of a communicator are, as all of them know it: what algorithms are chosen by.
// Includes schedule/, select/collective/, host.hpp.
#pragma once

#include "mpi/process/host.hpp"
#include "schedule/nodes.hpp"
#include "select/collective/way.hpp"

namespace heddle::mpi {

/// Equal on all ranks.
struct Topology {
  schedule::Nodes nodes;
  select::Where where;
};

/// Collective over an intra-communicator. Throws std::bad_alloc, on all ranks if one cannot begin.
Topology topology_of(MPI_Comm comm);

}  // namespace heddle::mpi
