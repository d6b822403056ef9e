#include "engine/collective/gather_choice.hpp"

#include <gtest/gtest.h>

namespace heddle::engine::gather_choice_test {
namespace {

constexpr GatherChoice::Library by_sum{.by_sum = true, .slow_little = false};
constexpr GatherChoice::Library slow{.by_sum = false, .slow_little = true};

/// A communicator on one node. `asked` counts the questions about where its ranks are.
class Communicator {
 public:
  Communicator(int ranks, double crowding) {
    where_.ranks = where_.members = ranks;
    where_.crowding = crowding;
  }
  select::Candidate choice(const std::vector<select::Bytes>& volumes, const GatherChoice::Library& library,
                           std::string_view wanted = "auto") {
    std::vector<select::Bytes> starts = {0};
    for (const select::Bytes volume : volumes) starts.push_back(starts.back() + volume);
    return candidates.of(starts, wanted, library, [this]() -> const select::Where& {
      ++asked;
      return where_;
    });
  }

  GatherChoice candidates;
  int asked = 0;

 private:
  select::Where where_;
};

std::vector<select::Bytes> outlier(int ranks) {
  std::vector<select::Bytes> volumes(static_cast<std::size_t>(ranks), 16);
  volumes[1] = 4 << 20;
  return volumes;
}

TEST(GatherChoice, LittleIsTheLibrarysAndNobodyIsAsked) {
  Communicator eight(8, 1);
  EXPECT_FALSE(eight.choice(std::vector<select::Bytes>(8, 16), by_sum).algorithm);
  EXPECT_FALSE(eight.choice(std::vector<select::Bytes>(8, 0), by_sum, "ring").algorithm) << "nothing at all";
  EXPECT_FALSE(eight.choice(outlier(8), by_sum, "native").algorithm);
  EXPECT_EQ(eight.asked, 0);
}

TEST(GatherChoice, ALibraryThatIsSlowIsLeftLessWhereRanksShareCores) {
  const std::vector<select::Bytes> little(8, 16);
  EXPECT_FALSE(Communicator(8, 1).choice(little, slow).algorithm);
  EXPECT_TRUE(Communicator(8, 4).choice(little, slow).algorithm);
  Communicator two(2, 2);
  EXPECT_FALSE(two.choice({16, 16}, slow).algorithm);
  EXPECT_EQ(two.asked, 0);
}

TEST(GatherChoice, ARepeatedOneIsNotLookedAtAnew) {
  Communicator eight(8, 1);
  const select::Candidate first = eight.choice(outlier(8), by_sum);
  ASSERT_TRUE(first.algorithm);
  const int asked = eight.asked;
  EXPECT_EQ(eight.choice(outlier(8), by_sum).algorithm, first.algorithm);
  EXPECT_EQ(eight.asked, asked);
  const TrialKind kind = eight.candidates.kind();
  EXPECT_EQ(kind.call, TrialKind::Call::allgatherv);
  EXPECT_EQ(kind.choice, select::digest(first));
  std::vector<select::Bytes> other = outlier(8);
  other[2] = 1 << 20;
  eight.choice(other, by_sum);
  EXPECT_GT(eight.asked, asked);
}

TEST(GatherChoice, TheLastOneThatWasLeftToTheLibraryIsKnownByItsBytes) {
  const auto digest_of = [](const std::vector<select::Bytes>& volumes) {
    VolumesDigest digest;
    for (const select::Bytes volume : volumes) digest.add(volume);
    return digest.value();
  };
  const std::vector<select::Bytes> little(8, 16), even(8, 1024);
  Communicator eight(8, 4);  // 8 ranks to a core
  EXPECT_FALSE(eight.candidates.leaves(digest_of(even)));
  ASSERT_FALSE(eight.choice(even, by_sum).algorithm);
  EXPECT_TRUE(eight.candidates.leaves(digest_of(even)));
  EXPECT_FALSE(eight.candidates.leaves(digest_of(outlier(8))));
  ASSERT_TRUE(eight.choice(outlier(8), by_sum).algorithm);
  EXPECT_FALSE(eight.candidates.leaves(digest_of(outlier(8)))) << "it is Heddle's, and may be tried";
  EXPECT_EQ(eight.candidates.digest(), digest_of(outlier(8)));
  Communicator apart(8, 1);
  ASSERT_FALSE(apart.choice(little, slow).algorithm);
  EXPECT_TRUE(apart.candidates.leaves(digest_of(little)));
  EXPECT_NE(digest_of({1, 2}), digest_of({2, 1}));
}

TEST(GatherChoice, WhatIsWantedIsTakenAndNotRemembered) {
  Communicator eight(8, 1);
  const select::Candidate chosen = eight.choice(outlier(8), by_sum);
  EXPECT_EQ(eight.choice(outlier(8), by_sum, "ring").algorithm->name, "ring");
  EXPECT_EQ(eight.choice(outlier(8), by_sum).algorithm, chosen.algorithm);
}

}  // namespace
}  // namespace heddle::engine::gather_choice_test
