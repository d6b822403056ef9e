// mpi/exchange/topology.hpp: where the ranks of a communicator are, as all of them know it: what algorithms are chosen by.
// Includes schedule/, select/collective/.
#pragma once

#include <vector>

#include "schedule/nodes.hpp"
#include "select/collective/way.hpp"

namespace heddle::mpi {

/// Equal on all ranks.
struct Topology {
  schedule::Nodes nodes;
  select::Where where;
};

/// @param nodes  What names each rank's node (Placement::node); -1: it is not known, and the rank counts as alone.
/// @param cores  The fewest that ranks of a node share: nodes may differ.
/// @param mailboxes  All ranks have them.
/// Throws std::bad_alloc.
Topology topology_of(const std::vector<int>& nodes, int cores, bool mailboxes);

}  // namespace heddle::mpi
