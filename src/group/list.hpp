// group/list.hpp: rank by rank, four bytes each, for groups without pattern and order. The first
// look-up of a world rank makes an index for the way back, unless the ranks increase.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "group/piece.hpp"

namespace heddle::group {

class List {
 public:
  explicit List(std::vector<Rank> ranks);

  [[nodiscard]] Rank world_rank(Rank rank) const noexcept { return ranks_[rank]; }
  [[nodiscard]] Rank rank_of(Rank world) const;
  /// Bytes of a list without the index.
  [[nodiscard]] static std::size_t bytes(std::int64_t size) { return static_cast<std::size_t>(size) * sizeof(Rank); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Kept {
    std::vector<Rank> ranks;
    bool increasing = true;
    mutable std::once_flag asked;
    mutable std::vector<Rank> order;  ///< Ranks of the group by world rank.
  };
  std::shared_ptr<const Kept> kept_;
  const Rank* ranks_;
};

}  // namespace heddle::group
