// schedule/nodes.cpp: a counting sort of the ranks by node.
#include "schedule/nodes.hpp"

#include <algorithm>
#include <unordered_map>

namespace heddle::schedule {

Nodes::Nodes(std::span<const Rank> node_of_rank) : order_(node_of_rank.size()), position_(node_of_rank.size()) {
  std::unordered_map<Rank, Rank> number;
  std::vector<Rank> members;
  of_.reserve(node_of_rank.size());
  for (const Rank given : node_of_rank) {
    const auto [found, fresh] = number.try_emplace(given, static_cast<Rank>(members.size()));
    if (fresh) members.push_back(0);
    of_.push_back(found->second);
    ++members[index(found->second)];
  }

  starts_.assign(members.size() + 1, 0);
  for (std::size_t node = 0; node < members.size(); ++node) starts_[node + 1] = starts_[node] + members[node];
  std::vector<Rank> next = starts_;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    const Rank position = next[index(of(rank))]++;
    order_[index(position)] = rank;
    position_[index(rank)] = position;
  }
  if (members.empty()) return;
  largest_ = std::ranges::max(members);
  smallest_ = std::ranges::min(members);
}

}  // namespace heddle::schedule
