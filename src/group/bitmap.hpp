// group/bitmap.hpp: a bit for each world rank between the lowest and the highest member, for
// irregular sets in increasing order.
//
// A cache line has 448 bits, and before them the number of members of earlier lines. So the search
// for a member's rank reads one line. The search for the i-th member (select) starts from an index
// of every 2^k-th member, and picks among the next lines without a branch. About two lines lie
// between two entries of the index. The format costs 1/7 more than the bits alone, plus an index of
// about 4 bytes for two lines.
#pragma once

#include <cstddef>
#include <memory>

#include "group/piece.hpp"

namespace heddle::group {

class Bitmap {
 public:
  static constexpr int words = 7, bits = 64 * words;

  struct alignas(64) Line {
    std::uint32_t before = 0;
    std::uint32_t unused = 0;
    std::uint64_t word[words] = {};
  };

  class Builder;

  [[nodiscard]] Rank world_rank(Rank rank) const noexcept;
  [[nodiscard]] Rank rank_of(Rank world) const noexcept;
  [[nodiscard]] std::size_t bytes() const { return lines_ * sizeof(Line); }
  /// A bitmap for `size` members among `span` world ranks.
  [[nodiscard]] static std::size_t bytes(std::int64_t span, std::int64_t size);

  /// Calls take(world rank) for each member.
  template <class Take>
  void each(Take take) const;

 private:
  std::shared_ptr<const Line[]> line_;  // the last of them hold the index
  Rank low_ = 0;
  std::uint32_t filled_ = 0, lines_ = 0;  // with bits, in all
  std::uint8_t shift_ = 0;                // the index has every 2^shift-th member
};

class Bitmap::Builder {
 public:
  Builder(Rank low, Rank high, Rank size);
  /// Adds a member. Members come in increasing order.
  void add(Rank world) {
    const auto bit = static_cast<std::uint32_t>(world - map_.low_);
    line_[bit / bits].word[bit % bits / 64] |= std::uint64_t{1} << (bit % bits % 64);
  }
  [[nodiscard]] Bitmap finish();

 private:
  Bitmap map_;
  std::shared_ptr<Line[]> line_;
};

template <class Take>
void Bitmap::each(Take take) const {
  for (std::uint32_t l = 0; l < filled_; ++l) {
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t rest = line_[l].word[w]; rest != 0; rest &= rest - 1) {
        take(static_cast<Rank>(low_ + l * bits + 64 * w + __builtin_ctzll(rest)));
      }
    }
  }
}

/// The search, compiled twice: portable, and with the population count and bit deposit that
/// processors have had since 2013.
namespace bitmap {
using Entry [[gnu::may_alias]] = std::uint32_t;  ///< Lies where lines are.
struct View {
  const Bitmap::Line* line;
  std::uint32_t filled;  ///< Lines with bits. Behind them: the line of every 2^shift-th member, and the last line.
  std::uint32_t shift;
};
namespace portable {
std::uint32_t select(View map, std::uint32_t rank);  ///< The place of member `rank`.
std::uint32_t before(View map, std::uint32_t bit);   ///< Members before a place.
}  // namespace portable
namespace bmi2 {
std::uint32_t select(View map, std::uint32_t rank);
std::uint32_t before(View map, std::uint32_t bit);
}  // namespace bmi2
}  // namespace bitmap

}  // namespace heddle::group
