// schedule/neighbour/stencil.cpp: steps by dimension and shift, and arithmetic on ranks of a grid.
#include "schedule/neighbour/stencil.hpp"

#include <algorithm>
#include <map>

namespace heddle::schedule {

Stencil::Stencil(std::span<const int> extents, std::span<const int> periodic, std::span<const int> offsets)
    : extents_(extents.begin(), extents.end()),
      periodic_(periodic.begin(), periodic.end()),
      offsets_(offsets.begin(), offsets.end()),
      strides_(extents.size(), 1),
      neighbours_(extents.empty() ? 0 : static_cast<int>(offsets.size() / extents.size())),
      first_(index(neighbours_), -1),
      last_(index(neighbours_), -1) {
  for (std::size_t d = extents_.size(); d-- > 1;) strides_[d - 1] = strides_[d] * extents_[d];
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    std::map<int, std::vector<int>> by_shift;
    for (int block = 0; block < neighbours_; ++block)
      if (offset(block, d) != 0) by_shift[offset(block, d)].push_back(block);
    if (by_shift.empty()) continue;
    std::vector<Step> steps;
    for (auto& [shift, blocks] : by_shift) {
      for (const int block : blocks) {
        last_[index(block)] = rounds();
        if (first_[index(block)] < 0) first_[index(block)] = rounds();
      }
      moves_ += static_cast<int>(blocks.size());
      ++messages_;
      steps.push_back({static_cast<int>(d), shift, std::move(blocks)});
    }
    rounds_.push_back(std::move(steps));
  }
}

Rank Stencil::shifted(Rank rank, std::size_t dimension, int by) const noexcept {
  if (rank == nobody) return nobody;
  const int extent = extents_[dimension];
  const int here = rank / strides_[dimension] % extent;
  const std::int64_t there = std::int64_t{here} + by;
  if (periodic_[dimension] == 0 && (there < 0 || there >= extent)) return nobody;
  return rank + (around(there, extent) - here) * strides_[dimension];
}

Stencil::Hop Stencil::hop(Rank rank, int k, int i) const noexcept {
  const Step& step = rounds_[index(k)][index(i)];
  const auto dimension = static_cast<std::size_t>(step.dimension);
  return {shifted(rank, dimension, step.shift), shifted(rank, dimension, -step.shift), step.blocks};
}

Rank Stencil::origin(Rank holder, int k, int block) const noexcept {
  const auto now = static_cast<std::size_t>(rounds_[index(k)].front().dimension);
  Rank from = holder;
  Rank to = holder;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    if (d < now) {
      from = shifted(from, d, -offset(block, d));
    } else {
      to = shifted(to, d, offset(block, d));
    }
  }
  return to == nobody ? nobody : from;
}

Rank Stencil::neighbour(Rank rank, int block) const noexcept {
  for (std::size_t d = 0; d < extents_.size(); ++d) rank = shifted(rank, d, offset(block, d));
  return rank;
}

}  // namespace heddle::schedule
