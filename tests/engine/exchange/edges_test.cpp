#include "engine/exchange/edges.hpp"

#include <gtest/gtest.h>

#include "engine/exchange/pair_mailboxes.hpp"
#include "engine/exchange/tags.hpp"

namespace heddle::engine {
namespace {

TEST(Edges, EachOfARanksSeveralHasItsNumber) {
  const std::vector<int> ranks = {3, 1, 3, -1, 1, 3, -1};
  EXPECT_EQ(edges_to(ranks), (std::vector<Edge>{{3, 0}, {1, 0}, {3, 1}, {-1, 0}, {1, 1}, {3, 2}, {-1, 1}}));
  EXPECT_TRUE(edges_to({}).empty());
}

TEST(Edges, RingsOfTwoMeetOneNeighbourTwice) {
  const auto meets = [](std::vector<int> sizes, std::vector<int> periodic) {
    return meets_one_neighbour_twice(sizes, periodic);
  };
  EXPECT_TRUE(meets({4, 2}, {1, 1}));
  EXPECT_TRUE(meets({1}, {1}));
  EXPECT_FALSE(meets({4, 2}, {1, 0}));
  EXPECT_FALSE(meets({4, 3}, {1, 1}));
  EXPECT_FALSE(meets({}, {}));
}

TEST(Edges, MailboxesAreOfNeighboursOnThisNode) {
  std::byte memory[3];
  PairMailboxes::Peers peers{.all = {{1, &memory[0]}, {4, &memory[1]}, {5, &memory[2]}}, .to = {}, .from = {}};
  const std::vector<Edge> out = {{5, 0}, {2, 0}, {1, 0}, {5, 1}};
  peers.choose_neighbours(out, {});
  ASSERT_EQ(peers.to.size(), 2U) << "each once, in order of ranks";
  EXPECT_EQ(peers.to[0].rank, 1);
  EXPECT_EQ(peers.to[1].rank, 5);
  EXPECT_EQ(peers.to[1].memory, &memory[2]);
  EXPECT_TRUE(peers.from.empty());
  EXPECT_EQ(peers.all.size(), 3U);
}

TEST(Tags, OfPersistentCollectivesComeByTurns) {
  using namespace tags;
  constexpr int highest = persistent + 3 * persistent_each - 1;
  EXPECT_EQ(of_persistent(0, highest), persistent);
  EXPECT_EQ(of_persistent(1, highest), persistent + persistent_each);
  EXPECT_EQ(of_persistent(2, highest), persistent) << "there is room for two whole ones";
  EXPECT_EQ(of_persistent(7, 32767), 0) << "the least that MPI has";
}

}  // namespace
}  // namespace heddle::engine
