// Every Allgatherv schedule, carried out by all its ranks in one process, in random order.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "engine/collective/gathering.hpp"
#include "network.hpp"

namespace heddle::engine::test::gathering_test {
namespace {

using schedule::Algorithm;
using Volumes = std::vector<Bytes>;

Volumes volumes(int kind, Rank ranks, std::mt19937& random) {
  Volumes of(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < of.size(); ++i) switch (kind) {
      case 0:  // any, often none
        of[i] = random() % 3 ? random() % 200 : 0;
        break;
      case 1:  // one outlier
        of[i] = i == of.size() / 2 ? 5'000 : 8;
        break;
      case 2:  // equal
        of[i] = 64;
        break;
      case 3:  // power law
        of[i] = 4'000 / static_cast<Bytes>(i + 1);
        break;
      default:
        of[i] = 0;
    }
  return of;
}

std::byte content(Rank origin, Bytes at) { return static_cast<std::byte>(origin * 31 + at * 7 + 1); }

void run(const Algorithm& algorithm, Rank ranks, const Volumes& of, Bytes segment, std::mt19937& random) {
  std::vector<Bytes> starts(of.size() + 1, 0);
  std::partial_sum(of.begin(), of.end(), starts.begin() + 1);
  std::vector<Rank> node_of(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) node_of[i] = static_cast<Rank>(i / 3);
  const schedule::Nodes nodes(node_of);
  const schedule::Pieces pieces(ranks, segment, [&](Rank rank) { return of[static_cast<std::size_t>(rank)]; });
  const Gathering::Chosen chosen{
      &algorithm, {.ranks = ranks, .radix = 2 + static_cast<int>(random() % 3), .nodes = &nodes, .pieces = &pieces}};
  Network network(ranks);
  std::vector<std::vector<std::byte>> memory(of.size(), std::vector<std::byte>(static_cast<std::size_t>(starts.back()) + 1));
  std::vector<Gathering> all;
  for (Rank me = 0; me < ranks; ++me) {
    auto& mine = memory[static_cast<std::size_t>(me)];
    for (Bytes i = 0; i < of[static_cast<std::size_t>(me)]; ++i)
      mine[static_cast<std::size_t>(starts[static_cast<std::size_t>(me)] + i)] = content(me, i);
    all.emplace_back(chosen, me, Gathering::Blocks{mine.data(), starts.data()}, network[me]);
  }
  // Ranks advance in random order. A deadlock would be a pass over all ranks without any change of
  // state.
  std::vector<bool> over(of.size(), false);
  std::size_t left = of.size();
  for (int idle = 0; left > 0 && idle < 200 * ranks; ++idle) {
    const auto i = static_cast<std::size_t>(random() % of.size());
    if (over[i] || !all[i].advance(false)) continue;
    over[i] = true;
    idle = 0;
    --left;
  }
  for (int sweep = 0; left > 0 && sweep < 4 * ranks; ++sweep)
    for (std::size_t i = 0; i < of.size(); ++i)
      if (!over[i] && all[i].advance(false)) over[i] = true, --left;
  ASSERT_EQ(left, 0u) << algorithm.name << ", " << ranks << " ranks";
  EXPECT_TRUE(network.empty());
  EXPECT_FALSE(network.mismatch) << algorithm.name << ", " << ranks << " ranks";
  for (std::size_t me = 0; me < of.size(); ++me)
    for (Rank origin = 0; origin < ranks; ++origin)
      for (Bytes i = 0; i < of[static_cast<std::size_t>(origin)]; ++i)
        ASSERT_EQ(memory[me][static_cast<std::size_t>(starts[static_cast<std::size_t>(origin)] + i)], content(origin, i))
            << algorithm.name << ", " << ranks << " ranks, block of " << origin << " at " << me;
}

}  // namespace

TEST(Gathering, EveryBlockComesToEveryRank) {
  std::mt19937 random(7);
  for (const Algorithm* algorithm : schedule::allgatherv())
    for (const Rank ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33})
      for (int kind = 0; kind < 5; ++kind)
        for (const Bytes segment : {64, 1'000}) run(*algorithm, ranks, volumes(kind, ranks, random), segment, random);
}

TEST(Gathering, NothingIsSentOfBlocksWithoutBytes) {
  Network network(8);
  const Bytes starts[9] = {};
  std::byte nothing{};
  for (Rank me = 0; me < 8; ++me) {
    Gathering ring({schedule::find(schedule::allgatherv(), "ring"), {.ranks = 8}}, me, {&nothing, starts}, network[me]);
    EXPECT_TRUE(ring.advance(true));
  }
  EXPECT_EQ(network.messages, 0u);
}

}  // namespace heddle::engine::test::gathering_test
