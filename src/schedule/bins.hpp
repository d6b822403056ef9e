// schedule/bins.hpp: in which order direct messages are sent: three bins by volume. May include: nodes.hpp.
//
//   Bins bins;                                                     // kept: its memory is used again
//   bins.sort(ranks, me + 1, small, [&](Rank to) { return Bytes{counts[to]} * size; });
//   for (const Rank to : bins.order()) ...                         // the small ones, then the large ones; none for zero
//
// Packing goes one message after the other, so a small message behind a large one would wait for it; a message without a byte
// would only make two ranks wait for each other (Balaji et al. 2007, §4.2.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/nodes.hpp"

namespace heddle::schedule {

class Bins {
 public:
  /// Partners 0 ... partners - 1, from `first` on around the ring, so that not all ranks begin with the same one (first may be
  /// `partners`). Small is what has fewer than `small` bytes. One look at each volume, O(partners).
  template <class Volume>
  void sort(Rank partners, Rank first, std::int64_t small, const Volume& bytes) {
    order_.clear();
    large_.clear();
    const auto look = [&](Rank begin, Rank end) {
      for (Rank one = begin; one < end; ++one) {
        const std::int64_t volume = bytes(one);
        if (volume > 0) (volume < small ? order_ : large_).push_back(one);
      }
    };
    look(first, partners);
    look(0, first);
    small_ = order_.size();
    order_.insert(order_.end(), large_.begin(), large_.end());
    zero_ = partners - static_cast<Rank>(order_.size());
  }

  /// All partners that something goes to, in the order of sending.
  [[nodiscard]] std::span<const Rank> order() const noexcept { return order_; }
  [[nodiscard]] std::span<const Rank> small() const noexcept { return order().first(small_); }
  [[nodiscard]] std::span<const Rank> large() const noexcept { return order().subspan(small_); }
  /// How many partners get nothing.
  [[nodiscard]] Rank zero() const noexcept { return zero_; }

 private:
  std::vector<Rank> order_, large_;
  std::size_t small_ = 0;
  Rank zero_ = 0;
};

}  // namespace heddle::schedule
