// select/collective/topology.hpp: the places of a communicator's ranks, as all ranks know them.
// Algorithms are chosen by these facts.
//
//   const Topology around = topology_of({0, 0, 1, 1, -1}, 2, true, links);       // three nodes; one rank's node is unknown
#pragma once

#include <vector>

#include "schedule/nodes.hpp"
#include "select/collective/algorithm_load.hpp"

namespace heddle::select {

/// Equal on all ranks.
struct Topology {
  schedule::Nodes nodes;
  Where where;
};

/// @param nodes  A number of each rank's node. -1: unknown, and the rank counts as alone.
/// @param cores  The fewest cores that the ranks of a node share. Nodes may differ.
/// @param mailboxes  All ranks have mailboxes. @param links  Must outlive the topology.
/// Throws std::bad_alloc.
Topology topology_of(const std::vector<int>& nodes, int cores, bool mailboxes, const Links& links);

}  // namespace heddle::select
