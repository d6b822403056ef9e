#include "engine/exchange/turns.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace heddle::engine::turns_test {
namespace {

std::vector<int> ranks_of(const Turns& turns) {
  std::vector<int> ranks;
  for (int turn = 0; turn < turns.size(); ++turn) {
    EXPECT_EQ(turns.edge(turn).rank, turns.block(turn));
    EXPECT_EQ(turns.edge(turn).tag, 0);
    ranks.push_back(turns.block(turn));
  }
  return ranks;
}

TEST(Turns, BeginWithThisRankAndGoAroundTheRing) {
  EXPECT_EQ(ranks_of(Turns::up(3, 5)), (std::vector{3, 4, 0, 1, 2}));
  EXPECT_EQ(ranks_of(Turns::down(1, 5)), (std::vector{1, 0, 4, 3, 2}));
  EXPECT_EQ(ranks_of(Turns::up(0, 1)), (std::vector{0}));
}

TEST(Turns, PairEachSendWithAReceiveAndGiveAllRanksDifferentPartners) {
  constexpr int ranks = 5;
  for (int turn = 0; turn < ranks; ++turn) {
    std::set<int> partners;
    for (int me = 0; me < ranks; ++me) {
      const int to = Turns::up(me, ranks).block(turn);
      partners.insert(to);
      EXPECT_EQ(Turns::down(to, ranks).block(turn), me);
    }
    EXPECT_EQ(partners.size(), std::size_t{ranks});
  }
}

TEST(Turns, AlongEdgesKeepTheProgramsOrder) {
  const std::vector<Edge> edges = {{2, 0}, {-1, 0}, {2, 1}};
  const Turns turns = Turns::along(edges);
  ASSERT_EQ(turns.size(), 3);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(turns.block(turn), turn);
    EXPECT_EQ(turns.edge(turn), edges[static_cast<std::size_t>(turn)]);
  }
  EXPECT_EQ(Turns::along({}).size(), 0);
}

}  // namespace
}  // namespace heddle::engine::turns_test
