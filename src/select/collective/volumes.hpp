// select/collective/volumes.hpp: describes the spread of volumes over ranks in a few numbers.
//
//   Spread spread;                                        // kept, to use its memory again
//   const Volumes& seen = spread.of(ranks, [&](Rank of) { return Bytes{recvcounts[of]} * size; });
//   seen.outliers > 10                                    // one rank's volume stands out of the bulk
#pragma once

#include <cstdint>
#include <vector>

#include "layout/bytes.hpp"
#include "select/k_select.hpp"

namespace heddle::select {

using layout::Bytes;

struct Volumes {
  std::int64_t count = 0;     ///< Number of volumes: ranks, or partners.
  std::int64_t partners = 0;  ///< Volumes that are not zero.
  Bytes total = 0;
  Bytes largest = 0;
  Bytes bulk = 0;  ///< Nine in ten volumes are not larger.

  [[nodiscard]] double mean() const noexcept { return count > 0 ? static_cast<double>(total) / static_cast<double>(count) : 0; }
  [[nodiscard]] double zero_fraction() const noexcept {
    return count > 0 ? static_cast<double>(count - partners) / static_cast<double>(count) : 0;
  }
  /// The outlier ratio: the largest volume over that of the bulk, which counts as at least a byte
  /// (Balaji et al. 2007, equation 1).
  [[nodiscard]] double outlier_ratio() const noexcept {
    return static_cast<double>(largest) / static_cast<double>(bulk > 0 ? bulk : 1);
  }
};

class Spread {
 public:
  static constexpr double of_bulk = 0.9;

  /// Looks at each volume once, and makes a k-select: O(count).
  template <class Volume>
  const Volumes& of(std::int64_t count, const Volume& bytes) {
    seen_ = {.count = count};
    aside_.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const Bytes volume = bytes(static_cast<std::int32_t>(i));
      aside_[static_cast<std::size_t>(i)] = volume;
      seen_.total += volume;
      seen_.largest = std::max(seen_.largest, volume);
      seen_.partners += volume != 0 ? 1 : 0;
    }
    // If all values are equal, or the bulk is zero, no search is needed.
    const auto k = std::max<std::int64_t>(1, static_cast<std::int64_t>(of_bulk * static_cast<double>(count)));
    if (seen_.partners <= count - k || seen_.largest * count == seen_.total) {
      seen_.bulk = seen_.partners <= count - k ? 0 : seen_.largest;
    } else {
      seen_.bulk = k_select(std::span(aside_), static_cast<std::size_t>(k));
    }
    return seen_;
  }

 private:
  Volumes seen_;
  std::vector<Bytes> aside_;
};

}  // namespace heddle::select
