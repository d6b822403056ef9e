// engine/exchange/edges.hpp: the neighbours of a rank in a topology, and the tags that tell their
// messages apart.
//
//   if (!meets_one_neighbour_twice(sizes, periodic)) out = edges_to(ranks);     // ranks in the order of the blocks
//   const std::uint64_t mine = difference_of_edges(me, out, in);                // of all ranks 0: both ends know each edge
#pragma once

#include <cstddef>
#include <cstdint>
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

/// The sum of this number over all ranks, modulo 2^64, is 0 if each edge out of a rank is an edge
/// into the other rank. Otherwise it is another number, with near certainty. Edges to negative
/// ranks (MPI_PROC_NULL) do not count.
inline std::uint64_t difference_of_edges(int me, std::span<const Edge> out, std::span<const Edge> in) noexcept {
  const auto mixed = [](int from, int to, int tag) {  // the finalizer of SplitMix64, twice
    const auto mix = [](std::uint64_t bits) {
      bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
      bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
      return bits ^ (bits >> 31);
    };
    const std::uint64_t ranks =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 | static_cast<std::uint32_t>(to);
    return mix(mix(ranks + 0x9e3779b97f4a7c15) + static_cast<std::uint32_t>(tag));
  };
  std::uint64_t sum = 0;
  for (const Edge& edge : out) sum += edge.rank < 0 ? 0 : mixed(me, edge.rank, edge.tag);
  for (const Edge& edge : in) sum -= edge.rank < 0 ? 0 : mixed(edge.rank, me, edge.tag);
  return sum;
}

/// In a ring of one or two ranks the neighbours on both sides are one rank: its two messages could
/// not be told apart.
inline bool meets_one_neighbour_twice(std::span<const int> sizes, std::span<const int> periodic) noexcept {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (periodic[i] && sizes[i] <= 2) return true;
  return false;
}

}  // namespace heddle::engine
