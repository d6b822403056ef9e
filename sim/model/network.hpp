// sim/model/network.hpp: finds the links that a message takes from node to node. SimGrid's clusters
// of these topologies have the same routes.
//
//   Network network("torus", {8, 8, 6});
//   network.route(from, to, links);      // numbers of links, 0 ... links() - 1; a link has one direction
//
//   kind       sizes                                         route
//   torus      x, y, z                                       one dimension after the other, the shorter choice around
//   fat-tree   nodes of a leaf, leaves, spines               up to spine number (destination mod spines), and down
//   dragonfly  groups, chassis of a group,                   within the group to the router that has the link to the
//              routers of a chassis, nodes of a router       other group; over that link; to the router of the node
//   switch     nodes                                         all nodes are at one switch
//
// In a dragonfly, all routers of a chassis are linked, and so are routers of the same number in all
// chassis of a group.
#pragma once

#include <string>
#include <vector>

#include "schedule/ranks.hpp"

namespace heddle::sim {

using schedule::Rank;

class Network {
 public:
  /// Throws std::invalid_argument if there is no such kind, or the sizes do not suit it.
  Network(const std::string& kind, std::vector<Rank> sizes);

  [[nodiscard]] Rank nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t links() const noexcept { return links_; }
  /// Replaces the contents of `links`. There are no links from a node to itself.
  void route(Rank from, Rank to, std::vector<std::size_t>& links) const;
  /// The average number of links between two of the first `among` nodes, from a sample.
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
