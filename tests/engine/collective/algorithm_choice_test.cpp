#include "engine/collective/algorithm_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "alone.hpp"

namespace heddle::engine::algorithm_choice_test {
namespace {

using Call = TrialKind::Call;
using Next = AlgorithmChoice::Next;

const AlgorithmChoice::Settings settings{.alltoallv = "auto", .allgatherv = "ring"};

class OfOne : public testing::Test {
 protected:
  /// Makes one call. Returns whether it goes the library's way. Heddle's way takes longer here, so
  /// trials choose the library.
  bool library(AlgorithmChoice& candidates, Next next, Call call = Call::neighbor_alltoall) {
    TimedCall timed;
    const bool library = candidates.library({.call = call}, timed, next, [this]() -> const select::Where& {
      ++asked;
      return where;
    });
    EXPECT_EQ(library, timed.is_librarys());
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(library ? 0 : 20);
    while (std::chrono::steady_clock::now() < end) {
    }
    return library;
  }
  /// Makes calls until one goes the library's way. Each trial has such calls.
  bool one_of_the_librarys(AlgorithmChoice& candidates, Next next, Call call = Call::neighbor_alltoall) {
    for (int i = 0; i < 1000; ++i) {
      candidates.stop();
      if (library(candidates, next, call)) return true;
    }
    return false;
  }
  Alone alone;
  select::Where where;
  int asked = 0;
};

TEST_F(OfOne, TheHintGoesBeforeTheSetting) {
  AlgorithmChoice candidates(alone, settings);
  EXPECT_EQ(candidates.alltoallv(), "auto");
  EXPECT_EQ(candidates.allgatherv(), "ring");
  candidates.hints().allgatherv = "dissemination";
  EXPECT_EQ(candidates.alltoallv(), "auto");
  EXPECT_EQ(candidates.allgatherv(), "dissemination");
}

TEST_F(OfOne, WithoutTrialsNothingIsTheLibrarys) {
  AlgorithmChoice candidates(alone, {.alltoallv = "auto", .allgatherv = "auto", .trials = false});
  EXPECT_FALSE(one_of_the_librarys(candidates, Next::passes));
  EXPECT_FALSE(candidates.went_library());
  EXPECT_EQ(asked, 0);
}

TEST_F(OfOne, WhereTheRanksAreIsAskedOnce) {
  AlgorithmChoice candidates(alone, settings);
  for (int i = 0; i < 10; ++i) library(candidates, Next::asks);
  EXPECT_EQ(asked, 1);
}

TEST_F(OfOne, CallsAfterOneOfTheLibrarysPassWhereNoArgumentCounts) {
  for (const auto& [next, passing] : {std::pair(Next::asks, false), std::pair(Next::passes, true)}) {
    AlgorithmChoice candidates(alone, settings);
    bool passed = false;
    for (int i = 0; i < 100 && !passed; ++i)
      passed = one_of_the_librarys(candidates, next) && candidates.passes(Call::neighbor_alltoall);
    EXPECT_EQ(passed, passing);
    if (!passed) continue;
    EXPECT_TRUE(candidates.went_library());
    EXPECT_FALSE(candidates.passes(Call::neighbor_alltoallv));  // another procedure
    candidates.stop();
    EXPECT_FALSE(candidates.passes(Call::neighbor_alltoall));
  }
}

TEST_F(OfOne, GathersPassIfTheyGatherTheSame) {
  AlgorithmChoice candidates(alone, settings);
  where.ranks = where.members = 4;
  const std::array<select::Bytes, 5> starts{0, 4 << 20, 4 << 20, 4 << 20, 4 << 20};  // all bytes are rank 0's
  ASSERT_TRUE(candidates.gathers().of(starts, "auto", {}, [this]() -> const select::Where& { return where; }).algorithm);
  const std::uint64_t digest = candidates.gathers().digest();
  bool passed = false;
  for (int i = 0; i < 100 && !passed; ++i)
    passed = one_of_the_librarys(candidates, Next::passes_alike, Call::allgatherv) && candidates.passes_gather(digest);
  ASSERT_TRUE(passed);
  EXPECT_FALSE(candidates.passes_gather(digest + 2));
  EXPECT_FALSE(candidates.passes(Call::allgatherv));
  candidates.stop();
  EXPECT_FALSE(candidates.passes_gather(digest));
}

TEST_F(OfOne, NoCallPassesWhereEachIsLookedAt) {
  AlgorithmChoice candidates(alone, {.alltoallv = "auto", .allgatherv = "auto", .passing = false});
  for (int i = 0; i < 100; ++i) {
    one_of_the_librarys(candidates, Next::passes);
    EXPECT_FALSE(candidates.passes(Call::neighbor_alltoall));
  }
}

TEST_F(OfOne, ANewHintEndsPassing) {
  AlgorithmChoice candidates(alone, settings);
  bool passed = false;
  for (int i = 0; i < 100 && !passed; ++i)
    passed = one_of_the_librarys(candidates, Next::passes) && candidates.passes(Call::neighbor_alltoall);
  ASSERT_TRUE(passed);
  candidates.hints().alltoallv = "native";
  EXPECT_FALSE(candidates.passes(Call::neighbor_alltoall));
}

TEST_F(OfOne, TheClockIsThatOfTheNodeUnlessThereAreSeveral) {
  EXPECT_EQ(AlgorithmChoice::clock_of({.nodes = 1, .crowding = 1}), Trials::Clock::of_node);
  EXPECT_EQ(AlgorithmChoice::clock_of({.nodes = 1, .crowding = 2}), Trials::Clock::of_crowded_node);
  EXPECT_EQ(AlgorithmChoice::clock_of({.nodes = 2, .crowding = 2}), Trials::Clock::of_each);
}

}  // namespace
}  // namespace heddle::engine::algorithm_choice_test
