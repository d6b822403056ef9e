// sim/model/network.hpp: the topology: the links that a message takes from node to node. SimGrid's clusters of these topologies
// have the same routes. May include: schedule/ranks.hpp.
//
//   Network network("torus", {8, 8, 6});
//   network.route(from, to, links);          // numbers of links, 0 ... links() - 1, each in one direction
//
//   torus      x, y, z: one dimension after the other, the shorter way around
//   fat-tree   leaf, leaves, spines: up to the spine of number (destination mod spines), and down
//   dragonfly  groups, chassis, routers, nodes of a router: within the group to the router with the link to the other group,
//   over,
//              to the router there; chassis of a group, and routers of a chassis, have a link to each other
//   switch     nodes: all at one switch
#pragma once

#include <string>
#include <vector>

#include "schedule/ranks.hpp"

namespace heddle::sim {

using schedule::Rank;

class Network {
 public:
  /// std::invalid_argument: no such kind, or sizes that it does not have.
  Network(const std::string& kind, std::vector<Rank> sizes);

  [[nodiscard]] Rank nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t links() const noexcept { return links_; }
  /// Replaces what is in `links`; none from a node to itself.
  void route(Rank from, Rank to, std::vector<std::size_t>& links) const;
  /// Links from one of the first so many nodes to another, on average over a sample.
  [[nodiscard]] double mean_hops(Rank among) const;

 private:
  enum class Kind { torus, fat_tree, dragonfly, one_switch };
  void around_torus(Rank from, Rank to, std::vector<std::size_t>& links) const;
  void over_groups(Rank from, Rank to, std::vector<std::size_t>& links) const;
  [[nodiscard]] std::size_t size(std::size_t i) const { return static_cast<std::size_t>(sizes_[i]); }

  Kind kind_;
  std::vector<Rank> sizes_;
  Rank nodes_ = 1;
  std::size_t links_ = 0;
};

}  // namespace heddle::sim
