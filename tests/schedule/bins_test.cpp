// Direct messages: nothing for nobody, small before large, and not all ranks to the same one first.
#include "schedule/bins.hpp"

#include <gtest/gtest.h>

namespace heddle::schedule {
namespace {

std::vector<Rank> list(std::span<const Rank> ranks) { return {ranks.begin(), ranks.end()}; }

TEST(Bins, ZeroIsLeftOutAndSmallGoesFirst) {
  const std::vector<std::int64_t> volumes = {10, 0, 5000, 0, 20, 9000, 1};
  Bins bins;
  bins.sort(7, 3, 1000, [&](Rank to) { return volumes[static_cast<std::size_t>(to)]; });
  EXPECT_EQ(list(bins.order()), (std::vector<Rank>{4, 6, 0, 5, 2}));
  EXPECT_EQ(list(bins.small()), (std::vector<Rank>{4, 6, 0}));
  EXPECT_EQ(list(bins.large()), (std::vector<Rank>{5, 2}));
  EXPECT_EQ(bins.zero(), 2);
}

TEST(Bins, AreFilledAnew) {
  Bins bins;
  bins.sort(3, 3, 100, [](Rank) { return 1000; });
  EXPECT_EQ(list(bins.order()), (std::vector<Rank>{0, 1, 2}));
  EXPECT_TRUE(bins.small().empty());
  bins.sort(3, 1, 100, [](Rank) { return 0; });
  EXPECT_TRUE(bins.order().empty());
  EXPECT_EQ(bins.zero(), 3);
}

}  // namespace
}  // namespace heddle::schedule
