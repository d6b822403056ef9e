#include "engine/exchange/edges.hpp"

#include <gtest/gtest.h>

#include <random>

#include "engine/exchange/pair_mailboxes.hpp"
#include "engine/exchange/tags.hpp"

namespace heddle::engine::edges_test {
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

TEST(Edges, OfRandomGraphsHaveTwoEndsOrAreNoticed) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 100; ++turn) {
    constexpr int ranks = 6;
    std::vector<std::vector<int>> out(ranks), in(ranks);
    for (int i = 0; i < 20; ++i) {
      const std::size_t from = random() % ranks, to = random() % ranks;
      out[from].push_back(static_cast<int>(to)), in[to].push_back(static_cast<int>(from));
    }
    for (int i = 0; i < ranks; ++i) out[static_cast<std::size_t>(i)].push_back(-1);  // MPI_PROC_NULL
    const auto sum = [&] {
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < ranks; ++i)
        all += difference_of_edges(static_cast<int>(i), edges_to(out[i]), edges_to(in[i]));
      return all;
    };
    EXPECT_EQ(sum(), 0U);
    in[random() % ranks].push_back(static_cast<int>(random() % ranks));
    EXPECT_NE(sum(), 0U);
  }
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
}  // namespace heddle::engine::edges_test
