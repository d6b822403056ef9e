// group/group_source.hpp: a group that is asked for piece by piece is right, whatever its pattern.
// Regular groups take few questions.
#include "group/group_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace heddle::group {
namespace {

/// Counts the questions.
class Known final : public Source {
 public:
  explicit Known(std::vector<Rank> members) : members_(std::move(members)) {}
  bool world_ranks(Rank first, int count, Rank* answers) override {
    EXPECT_LE(count, most_asked);
    looked_up += count;
    if (silent) return false;
    std::copy_n(members_.begin() + first, count, answers);
    return true;
  }
  int go_on(Rank first, int count, Rank from, Rank step) override {
    EXPECT_LE(count, most_asked);
    ++guesses;
    int right = 0;
    while (right < count && members_[static_cast<std::size_t>(first + right)] == from + right * step) ++right;
    return right;
  }
  int looked_up = 0, guesses = 0;
  bool silent = false;

 private:
  std::vector<Rank> members_;
};

constexpr Rank world = 5000;

std::vector<Rank> members_of(const Group& group) {
  std::vector<Rank> all;
  for (Rank i = 0; i < group.size(); ++i) all.push_back(group.world_rank(i));
  return all;
}

TEST(Ask, WhateverThePatternTheGroupIsWhatTheSourceSays) {
  std::mt19937 random(1);
  std::vector<std::vector<Rank>> all(7);
  for (Rank i = 0; i < world; ++i) {
    all[0].push_back(i);
    all[1].push_back(world - 1 - i);
    if (i % 7 == 3) all[2].push_back(i);
    if (i % 100 < 30) all[3].push_back(i);
    if (random() % 3 == 0) all[4].push_back(i);
  }
  all[5] = all[0];
  std::ranges::shuffle(all[5], random);
  all[6] = {42};
  for (const bool guesses : {false, true})
    for (const std::vector<Rank>& members : all) {
      Known source(members);
      const auto group = ask(source, static_cast<Rank>(members.size()), world, guesses);
      ASSERT_TRUE(group);
      EXPECT_EQ(members_of(*group), members);
      EXPECT_TRUE(guesses || source.guesses == 0);
    }
}

TEST(Ask, WhatGoesOnAsItBeganIsNotLookedUpInTheWorld) {
  std::vector<Rank> members(world / 2);
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<Rank>(2 * i);
  Known source(members);
  ASSERT_TRUE(ask(source, world / 2, world, true));
  EXPECT_LE(source.looked_up, 8);
}

TEST(Ask, MembersOfAnotherWorldMakeItEmptyAndSilenceMakesItNone) {
  std::vector<Rank> members(300);
  std::iota(members.begin(), members.end(), 0);
  members[299] = -1;
  Known strange(members);
  const auto group = ask(strange, 300, world, false);
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->empty());
  Known silent(members);
  silent.silent = true;
  EXPECT_FALSE(ask(silent, 300, world, true));
}

}  // namespace
}  // namespace heddle::group
