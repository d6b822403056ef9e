// Sets of ranks: all ways of asking give one answer.
#include "schedule/ranks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "places.hpp"

namespace heddle::schedule {
namespace {

std::vector<Rank> members(const Ranks& ranks) {
  std::vector<Rank> list;
  ranks.for_each([&](Rank rank) { list.push_back(rank); });
  return list;
}

TEST(Ranks, IntervalGoesAroundTheEnd) {
  EXPECT_EQ(members(Ranks::interval(-2, 4, 10)), (std::vector<Rank>{8, 9, 0, 1}));
  EXPECT_EQ(members(Ranks::interval(23, 3, 10)), (std::vector<Rank>{3, 4, 5}));
  EXPECT_EQ(members(Ranks::interval(7, 10, 10)), (std::vector<Rank>{7, 8, 9, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(Ranks::interval(7, 0, 10).empty());
}

TEST(Ranks, RunsOfABruckDigit) {
  // Distances with a 1 as their second binary digit, from rank 0 of 8: 2 3 6 7.
  const Ranks runs{.first = 2, .run = 2, .period = 4, .total = 4, .modulo = 8};
  EXPECT_EQ(members(runs), (std::vector<Rank>{2, 3, 6, 7}));
  EXPECT_EQ(members(Ranks::every(4, 9, 3, 11)), (std::vector<Rank>{9, 2, 6}));
}

RC_GTEST_PROP(Ranks, AnswerAlikeHoweverAsked, ()) {
  const auto modulo = *rc::gen::inRange<Rank>(1, 60);
  const auto period = *rc::gen::inRange<Rank>(1, modulo + 1);
  const auto run = *rc::gen::inRange<Rank>(1, period + 1);
  const Rank most_runs = modulo / period;
  const auto total = *rc::gen::inRange<Rank>(0, most_runs * run + 1);
  const auto first = *rc::gen::inRange<Rank>(0, modulo);
  const Nodes nodes = dealt(modulo, *rc::gen::inRange<Rank>(1, modulo + 1), Dealt::random);
  const Ranks set{first, run, period, total, modulo, *rc::gen::arbitrary<bool>() ? &nodes : nullptr};

  const std::vector<Rank> list = members(set);
  RC_ASSERT(static_cast<Rank>(list.size()) == set.count());
  for (Rank i = 0; i < set.count(); ++i) RC_ASSERT(set.at(i) == list[static_cast<std::size_t>(i)]);
  for (Rank rank = 0; rank < modulo; ++rank) RC_ASSERT(std::ranges::count(list, rank) == (set.contains(rank) ? 1 : 0));
}

TEST(Nodes, AreNumberedByTheirLeaders) {
  const std::vector<Rank> given = {40, 7, 7, 40, -1, 7};
  const Nodes nodes(given);
  ASSERT_EQ(nodes.count(), 3);
  EXPECT_EQ(nodes.of(3), 0);
  EXPECT_EQ(nodes.of(5), 1);
  EXPECT_EQ(nodes.leader(1), 1);
  EXPECT_EQ(nodes.leader(2), 4);
  EXPECT_EQ(nodes.member(1, 2), 5);
  EXPECT_EQ(nodes.local(5), 2);
  EXPECT_EQ(nodes.largest(), 3);
  EXPECT_EQ(nodes.smallest(), 1);
  EXPECT_EQ(members(Ranks::interval(nodes.start(1), nodes.members(1), 6, &nodes)), (std::vector<Rank>{1, 2, 5}));
}

}  // namespace
}  // namespace heddle::schedule
