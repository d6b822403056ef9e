// schedule/two_level.hpp: sets of whole nodes. Within schedule/ only.
#pragma once

#include "schedule/ranks.hpp"

namespace heddle::schedule {

/// All ranks of `count` nodes from `first` on. `first` may lie beyond either end of the ring of
/// nodes.
inline Ranks of_nodes(const Nodes& nodes, std::int64_t first, Rank count) noexcept {
  const auto start = [&](std::int64_t node) {  // a position, beyond the end where the node is
    const Rank within = around(node, nodes.count());
    return nodes.start(within) + (node - within) / nodes.count() * nodes.ranks();
  };
  return Ranks::interval(start(first), static_cast<Rank>(start(first + count) - start(first)), nodes.ranks(), &nodes);
}

}  // namespace heddle::schedule
