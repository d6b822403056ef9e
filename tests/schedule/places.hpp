// Places to try an algorithm at: radixes, channels, segments, and ranks dealt to nodes as launchers
// do.
#pragma once

#include <random>
#include <vector>

#include "schedule/schedule.hpp"

namespace heddle::schedule {

/// Node of each rank: by blocks, in turn, at random, or all but the last on full nodes.
enum class Dealt { blocks, turns, random, one_alone };

inline Nodes dealt(Rank ranks, Rank nodes, Dealt how) {
  std::minstd_rand random(static_cast<unsigned>(ranks * 31 + nodes));
  std::vector<Rank> node;
  const Rank full = (ranks + nodes - 1) / nodes;
  for (Rank rank = 0; rank < ranks; ++rank) {
    switch (how) {
      case Dealt::blocks:
        node.push_back(rank / full);
        break;
      case Dealt::turns:
        node.push_back(rank % nodes);
        break;
      case Dealt::random:
        node.push_back(static_cast<Rank>(random() % static_cast<unsigned>(nodes)) * 7 + 1000);
        break;
      case Dealt::one_alone:
        node.push_back(rank + 1 == ranks ? nodes : rank / full);
        break;
    }
  }
  return Nodes(node);
}

}  // namespace heddle::schedule
