// schedule/nodes.hpp: the nodes of ranks. Made once for a communicator, O(P) time and memory.
//
//   const Nodes nodes(node_of_rank);             // any numbers: ranks with equal numbers share a node
//   nodes.leader(nodes.of(rank));                // the lowest rank there
//
// In the order by node, the ranks of a node follow each other in rank order, and nodes follow in
// the order of their leaders. So "all ranks of these nodes" is an interval of positions, for every
// placement of ranks by the launcher.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::schedule {

using Rank = std::int32_t;

class Nodes {
 public:
  explicit Nodes(std::span<const Rank> node_of_rank);

  [[nodiscard]] Rank count() const noexcept { return static_cast<Rank>(starts_.size()) - 1; }
  [[nodiscard]] Rank ranks() const noexcept { return static_cast<Rank>(of_.size()); }
  /// The numbers of members of the fullest and of the emptiest node.
  [[nodiscard]] Rank largest() const noexcept { return largest_; }
  [[nodiscard]] Rank smallest() const noexcept { return smallest_; }

  [[nodiscard]] Rank of(Rank rank) const noexcept { return of_[index(rank)]; }
  [[nodiscard]] Rank members(Rank node) const noexcept { return start(node + 1) - start(node); }
  /// The position of a node's first member; node may be count(): the end.
  [[nodiscard]] Rank start(Rank node) const noexcept { return starts_[index(node)]; }
  [[nodiscard]] Rank member(Rank node, Rank i) const noexcept { return rank(start(node) + i); }
  [[nodiscard]] Rank leader(Rank node) const noexcept { return member(node, 0); }
  /// The number of a rank among the members of its node.
  [[nodiscard]] Rank local(Rank rank) const noexcept { return position(rank) - start(of(rank)); }

  [[nodiscard]] Rank rank(Rank position) const noexcept { return order_[index(position)]; }
  [[nodiscard]] Rank position(Rank rank) const noexcept { return position_[index(rank)]; }

 private:
  static std::size_t index(Rank i) noexcept { return static_cast<std::size_t>(i); }

  std::vector<Rank> of_, order_, position_, starts_;
  Rank largest_ = 0, smallest_ = 0;
};

}  // namespace heddle::schedule
