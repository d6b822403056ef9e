// select/collective/topology.hpp: where the ranks of a communicator are, as all of them know it:
// what algorithms are chosen by.
//
//   const Topology around = topology_of({0, 0, 1, 1, -1}, 2, true, links);       // three nodes, for one rank's is not known
#pragma once

#include <vector>

#include "schedule/nodes.hpp"
#include "select/collective/way.hpp"

namespace heddle::select {

/// Equal on all ranks.
struct Topology {
  schedule::Nodes nodes;
  Where where;
};

/// @param nodes  What names each rank's node; -1: it is not known, and the rank counts as alone.
/// @param cores  The fewest that ranks of a node share: nodes may differ.
/// @param mailboxes  All ranks have them. @param links  They stay where they are.
/// Throws std::bad_alloc.
Topology topology_of(const std::vector<int>& nodes, int cores, bool mailboxes, const Links& links);

}  // namespace heddle::select
