// Machines with round numbers, so that the time of a collective can be worked out by hand.
#pragma once

#include "estimate/estimate.hpp"

namespace heddle::sim::test {

constexpr double o_send = 100, o_receive = 50, hop = 10, byte = 1, copy = 2, block = 3;

/// All nodes at one switch, by default with one rank each.
inline Machine plain(Rank nodes, Rank members = 1) {
  return {.name = "plain",
          .local = {o_send, o_receive, 1, 0.5},
          .network = {o_send, o_receive, hop, byte},
          .eager = 8192,
          .copy = copy,
          .block = block,
          .members = members,
          .joined = Network("switch", {nodes})};
}

inline Task alltoallv(Rank ranks, Bytes bytes, const std::string& algorithm, Rank partners = 26, Rank stride = 1) {
  return task_from({{"collective", "alltoallv"},
                    {"ranks", ranks},
                    {"bytes", bytes},
                    {"partners", partners},
                    {"stride", stride},
                    {"algorithm", algorithm}});
}
inline Task allgatherv(Rank ranks, Bytes bytes, const std::string& algorithm, Bytes others = 8) {
  return task_from(
      {{"collective", "allgatherv"}, {"ranks", ranks}, {"bytes", bytes}, {"others", others}, {"algorithm", algorithm}});
}

}  // namespace heddle::sim::test
