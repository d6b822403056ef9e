// select/collective/exchanged_facts.hpp: the facts that ranks have in common, from the least of
// each number.
#include "select/collective/exchanged_facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::select::exchanged_facts_test {
namespace {

struct OfRank {
  Record::Own own{.able = true, .room = true, .noted = false, .mailboxes = true, .cores = 4, .number = 1, .shared = 0};
  settings::Settings set;
};

Record reduced(const std::vector<OfRank>& ranks) {
  Record::Facts least;
  least.fill(INT64_MAX);
  for (const OfRank& rank : ranks) {
    const Record::Facts said = Record::said(rank.own, rank.set);
    for (std::size_t i = 0; i < said.size(); ++i) least[i] = std::min(least[i], said[i]);
  }
  return Record(least);
}

TEST(Record, OneRankThatIsNotAbleKeepsAllFromIt) {
  std::vector<OfRank> ranks(3);
  EXPECT_TRUE(reduced(ranks).able);
  EXPECT_TRUE(reduced(ranks).mailboxes);
  ranks[1].own.able = ranks[2].own.mailboxes = false;
  EXPECT_FALSE(reduced(ranks).able);
  EXPECT_FALSE(reduced(ranks).mailboxes);
}

TEST(Record, HintsAreNotedByAllByNoneOrBySome) {
  std::vector<OfRank> ranks(3);
  EXPECT_TRUE(reduced(ranks).noted_by_none);
  EXPECT_FALSE(reduced(ranks).noted_by_all);
  ranks[0].own.noted = true;
  EXPECT_FALSE(reduced(ranks).noted_by_none);
  EXPECT_FALSE(reduced(ranks).noted_by_all);
  for (OfRank& rank : ranks) rank.own.noted = true;
  EXPECT_TRUE(reduced(ranks).noted_by_all);
}

TEST(Record, TheFewestCoresAndTheGreatestNumberCount) {
  std::vector<OfRank> ranks(2);
  ranks[0].own.cores = 2;
  ranks[1].own.number = 7;
  EXPECT_EQ(reduced(ranks).cores, 2);
  EXPECT_EQ(reduced(ranks).number, 7);
}

TEST(Record, WhatRanksDoNotAgreeOnNobodyHasWished) {
  std::vector<OfRank> ranks(2);
  for (OfRank& rank : ranks) {
    rank.set.exchange = settings::Exchange::crystal;
    rank.set.router = {.radix = 4, .channels = 2, .segment = 1 << 20};
  }
  EXPECT_EQ(reduced(ranks).exchange, settings::Exchange::crystal);
  EXPECT_EQ(reduced(ranks).radix, 4);
  EXPECT_EQ(reduced(ranks).channels, 2);
  EXPECT_EQ(reduced(ranks).segment, 1 << 20);
  ranks[1].set.exchange = settings::Exchange::counts;
  ranks[1].set.router = {.radix = 8, .channels = 1, .segment = 0};
  EXPECT_EQ(reduced(ranks).exchange, settings::Exchange::automatic);
  EXPECT_EQ(reduced(ranks).radix, 0);
  EXPECT_EQ(reduced(ranks).channels, 1);
  EXPECT_EQ(reduced(ranks).segment, 0);
}

TEST(Numbers, NoneIsOfferedTwiceAndEachIsGreaterThanWhatWasTaken) {
  Numbers one;
  Numbers other;
  std::int64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t mine = one.offer(0);
    const std::int64_t theirs = other.offer(1);
    EXPECT_NE(mine, theirs);
    const std::int64_t number = std::max(mine, theirs);
    EXPECT_GT(number, before);
    one.taken(before = number);
    if (i % 2) other.taken(number);
  }
}

}  // namespace
}  // namespace heddle::select::exchanged_facts_test
