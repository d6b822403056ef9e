// engine/exchange/edges.hpp: the neighbours of a rank in a topology, and the tags that tell their
// messages apart.
//
//   if (!meets_one_neighbour_twice(sizes, periodic)) out = edges_to(ranks);     // ranks in the order of the blocks
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::engine {

/// A neighbour in a topology. A rank may be a neighbour several times. Then equal tags tell which
/// blocks belong together.
struct Edge {
  int rank;  ///< MPI_PROC_NULL where a Cartesian topology ends.
  int tag;
  bool operator==(const Edge&) const = default;
};

/// The k-th edge from a rank belongs to that rank's k-th edge to us. Throws std::bad_alloc.
inline std::vector<Edge> edges_to(std::span<const int> ranks) {
  std::unordered_map<int, int> seen;
  std::vector<Edge> edges;
  edges.reserve(ranks.size());
  for (const int rank : ranks) edges.push_back({rank, seen[rank]++});
  return edges;
}

/// In a ring of one or two ranks the neighbours on both sides are one rank: its two messages could
/// not be told apart.
inline bool meets_one_neighbour_twice(std::span<const int> sizes, std::span<const int> periodic) noexcept {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (periodic[i] && sizes[i] <= 2) return true;
  return false;
}

}  // namespace heddle::engine
