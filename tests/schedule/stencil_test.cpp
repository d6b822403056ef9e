// Message-combining: on every grid, edges or none, each block comes once from and to where it belongs.
#include "schedule/neighbour/stencil.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace heddle::schedule {
namespace {

/// All offsets of a cube around the middle, but not the middle.
std::vector<int> box(int dimensions, int width) {
  std::vector<int> offsets;
  const int side = 2 * width + 1;
  int all = 1;
  for (int d = 0; d < dimensions; ++d) all *= side;
  for (int i = 0; i < all; ++i) {
    if (i == all / 2) continue;
    for (int d = 0, rest = i; d < dimensions; ++d, rest /= side) offsets.push_back(rest % side - width);
  }
  return offsets;
}

/// Runs all ranks round by round; returns what each rank has got for each offset, and fails where nothing or something else
/// comes.
void check(const std::vector<int>& extents, const std::vector<int>& periodic, const std::vector<int>& offsets) {
  const Stencil stencil(extents, periodic, offsets);
  const Rank ranks = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  const auto at = [&](Rank rank, int block) { return static_cast<std::size_t>(rank * stencil.neighbours() + block); };
  std::vector<Rank> slot(at(ranks, 0)), got(slot.size(), nobody);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (int block = 0; block < stencil.neighbours(); ++block) slot[at(rank, block)] = rank;

  for (int k = 0; k < stencil.rounds(); ++k) {
    std::map<std::pair<Rank, Rank>, std::vector<std::vector<int>>> mail;
    const std::vector<Rank> before = slot;
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (int i = 0; i < stencil.hops(k); ++i) {
        const Stencil::Hop hop = stencil.hop(rank, k, i);
        std::vector<int> blocks;
        for (const int block : hop.blocks) {
          if (!stencil.travels(rank, k, block)) continue;
          ASSERT_NE(hop.to, nobody);
          ASSERT_EQ(before[at(rank, block)], stencil.origin(rank, k, block));
          blocks.push_back(block);
        }
        if (hop.to != nobody) mail[{rank, hop.to}].push_back(blocks);
      }
    }
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (int i = 0; i < stencil.hops(k); ++i) {
        const Stencil::Hop hop = stencil.hop(rank, k, i);
        if (hop.from == nobody) continue;
        std::vector<std::vector<int>>& messages = mail[{hop.from, rank}];
        ASSERT_FALSE(messages.empty());
        std::vector<int> expected;
        for (const int block : hop.blocks)
          if (stencil.travels(hop.from, k, block)) expected.push_back(block);
        ASSERT_EQ(messages.front(), expected);
        messages.erase(messages.begin());
        for (const int block : expected) {
          slot[at(rank, block)] = before[at(hop.from, block)];
          if (stencil.arrives(k, block)) got[at(rank, block)] = slot[at(rank, block)];
        }
      }
    }
    for (const auto& [pair, messages] : mail) ASSERT_TRUE(messages.empty());
  }

  std::vector<Rank> expected(got.size(), nobody);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (int block = 0; block < stencil.neighbours(); ++block)
      if (const Rank to = stencil.neighbour(rank, block); to != nobody) expected[at(to, block)] = rank;
  EXPECT_EQ(got, expected);
}

TEST(Stencil, TwentySixNeighboursTakeSixMessages) {
  const Stencil stencil(std::vector{4, 4, 4}, std::vector{1, 1, 1}, box(3, 1));
  EXPECT_EQ(stencil.neighbours(), 26);
  EXPECT_EQ(stencil.rounds(), 3);
  EXPECT_EQ(stencil.messages(), 6);
  EXPECT_EQ(stencil.moves(), 54) << "6 faces once, 12 edges twice, 8 corners three times";
}

TEST(Stencil, BlocksArriveOnGridsWithAndWithoutEdges) {
  for (const auto& extents : std::vector<std::vector<int>>{{4, 4, 4}, {3, 2, 5}, {1, 2, 3}, {2, 2, 2}, {1, 1, 1}, {7, 1, 2}})
    for (int edges = 0; edges < 8; ++edges) check(extents, {edges & 1, edges >> 1 & 1, edges >> 2}, box(3, 1));
}

TEST(Stencil, WiderOnesAndOtherDimensions) {
  check({5}, {1}, box(1, 1));
  check({5}, {0}, box(1, 2));
  check({4, 5}, {1, 0}, box(2, 2));
  check({3, 3, 2, 2}, {1, 0, 1, 0}, box(4, 1));
}

TEST(Stencil, AnyOffsets) {
  // A star has nothing to combine; some offsets twice, one of nothing, one beyond the grid and around.
  check({3, 4}, {1, 1}, {0, 1, 0, -1, 1, 0, -1, 0});
  const std::vector<int> odd = {2, 1, 2, 1, 1, -3, 0, 5, -4, 4};
  check({3, 4}, {1, 1}, odd);
  check({3, 4}, {0, 1}, odd);
  const Stencil still(std::vector{3, 4}, std::vector{1, 1}, std::vector{0, 0});
  EXPECT_EQ(still.rounds(), 0);
}

}  // namespace
}  // namespace heddle::schedule
