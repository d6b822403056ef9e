// select/collective/topology.cpp: the lowest rank of a node is the node's name.
#include "select/collective/topology.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "select/collective/mailbox_sizes.hpp"

namespace heddle::select {

Topology topology_of(const std::vector<int>& nodes, int cores, bool mailboxes, const Links& links) {
  const auto ranks = static_cast<schedule::Rank>(nodes.size());
  std::unordered_map<int, schedule::Rank> lowest_on;
  std::vector<schedule::Rank> lowest_of(nodes.size());
  for (schedule::Rank rank = 0; rank < ranks; ++rank) {
    const int node = nodes[static_cast<std::size_t>(rank)];
    lowest_of[static_cast<std::size_t>(rank)] = node < 0 ? rank : lowest_on.try_emplace(node, rank).first->second;
  }
  schedule::Nodes by_node(lowest_of);
  const Where where{.ranks = ranks,
                    .nodes = by_node.count(),
                    .members = by_node.largest(),
                    .crowding = std::max(1.0, static_cast<double>(by_node.largest()) / cores),
                    .mailboxes = mailboxes ? mailbox_sizes(by_node.largest() - 1).longest : 0,
                    .links = &links};
  return {std::move(by_node), where};
}

}  // namespace heddle::select
