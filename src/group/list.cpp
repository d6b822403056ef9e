// group/list.cpp: keeps the ranks, and finds the member that a world rank is.
#include "group/list.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::group {

List::List(std::vector<Rank> ranks) {
  auto kept = std::make_shared<Kept>();
  ranks.shrink_to_fit();
  kept->ranks = std::move(ranks);
  kept->increasing = std::is_sorted(kept->ranks.begin(), kept->ranks.end());
  ranks_ = kept->ranks.data();
  kept_ = std::move(kept);
}

Rank List::rank_of(Rank world) const {
  const std::vector<Rank>& ranks = kept_->ranks;
  if (kept_->increasing) {
    const auto found = std::lower_bound(ranks.begin(), ranks.end(), world);
    return found != ranks.end() && *found == world ? static_cast<Rank>(found - ranks.begin()) : undefined;
  }
  std::call_once(kept_->asked, [&] {
    kept_->order.resize(ranks.size());
    std::iota(kept_->order.begin(), kept_->order.end(), 0);
    std::sort(kept_->order.begin(), kept_->order.end(), [&](Rank a, Rank b) { return ranks[a] < ranks[b]; });
  });
  const auto found = std::lower_bound(kept_->order.begin(), kept_->order.end(), world,
                                      [&](Rank place, Rank wanted) { return ranks[place] < wanted; });
  return found != kept_->order.end() && ranks[*found] == world ? *found : undefined;
}

std::size_t List::bytes() const { return sizeof(Rank) * kept_->ranks.size(); }

}  // namespace heddle::group
