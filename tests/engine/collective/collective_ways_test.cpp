#include "engine/collective/collective_ways.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "alone.hpp"

namespace heddle::engine {
namespace {

using Call = TrialKind::Call;
using Next = Ways::Next;

const Ways::Settings settings{.alltoallv = "auto", .allgatherv = "ring"};

class OfOne : public testing::Test {
 protected:
  /// Makes one call. Returns whether it goes the library's way. Heddle's way takes longer here, so
  /// trials choose the library.
  bool library(Ways& ways, Next next, Call call = Call::neighbor_alltoall) {
    TimedCall timed;
    const bool library = ways.library({.call = call}, timed, next, [this]() -> const select::Where& {
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
  bool one_of_the_librarys(Ways& ways, Next next, Call call = Call::neighbor_alltoall) {
    for (int i = 0; i < 1000; ++i) {
      ways.stop();
      if (library(ways, next, call)) return true;
    }
    return false;
  }
  Alone alone;
  select::Where where;
  int asked = 0;
};

TEST_F(OfOne, TheHintGoesBeforeTheSetting) {
  Ways ways(alone, settings);
  EXPECT_EQ(ways.alltoallv(), "auto");
  EXPECT_EQ(ways.allgatherv(), "ring");
  ways.hints().allgatherv = "dissemination";
  EXPECT_EQ(ways.alltoallv(), "auto");
  EXPECT_EQ(ways.allgatherv(), "dissemination");
}

TEST_F(OfOne, WithoutTrialsNothingIsTheLibrarys) {
  Ways ways(alone, {.alltoallv = "auto", .allgatherv = "auto", .trials = false});
  EXPECT_FALSE(one_of_the_librarys(ways, Next::passes));
  EXPECT_FALSE(ways.went_library());
  EXPECT_EQ(asked, 0);
}

TEST_F(OfOne, WhereTheRanksAreIsAskedOnce) {
  Ways ways(alone, settings);
  for (int i = 0; i < 10; ++i) library(ways, Next::asks);
  EXPECT_EQ(asked, 1);
}

TEST_F(OfOne, CallsAfterOneOfTheLibrarysPassWhereNoArgumentCounts) {
  for (const auto& [next, passing] : {std::pair(Next::asks, false), std::pair(Next::passes, true)}) {
    Ways ways(alone, settings);
    bool passed = false;
    for (int i = 0; i < 100 && !passed; ++i) passed = one_of_the_librarys(ways, next) && ways.passes(Call::neighbor_alltoall);
    EXPECT_EQ(passed, passing);
    if (!passed) continue;
    EXPECT_TRUE(ways.went_library());
    EXPECT_FALSE(ways.passes(Call::neighbor_alltoallv));  // another procedure
    ways.stop();
    EXPECT_FALSE(ways.passes(Call::neighbor_alltoall));
  }
}

TEST_F(OfOne, GathersPassIfTheyGatherTheSame) {
  Ways ways(alone, settings);
  where.ranks = where.members = 4;
  const std::array<select::Bytes, 5> starts{0, 4 << 20, 4 << 20, 4 << 20, 4 << 20};  // all bytes are rank 0's
  ASSERT_TRUE(ways.gathers().of(starts, "auto", {}, [this]() -> const select::Where& { return where; }).algorithm);
  const std::uint64_t digest = ways.gathers().digest();
  bool passed = false;
  for (int i = 0; i < 100 && !passed; ++i)
    passed = one_of_the_librarys(ways, Next::passes_alike, Call::allgatherv) && ways.passes_gather(digest);
  ASSERT_TRUE(passed);
  EXPECT_FALSE(ways.passes_gather(digest + 2));
  EXPECT_FALSE(ways.passes(Call::allgatherv));
  ways.stop();
  EXPECT_FALSE(ways.passes_gather(digest));
}

TEST_F(OfOne, NoCallPassesWhereEachIsLookedAt) {
  Ways ways(alone, {.alltoallv = "auto", .allgatherv = "auto", .passing = false});
  for (int i = 0; i < 100; ++i) {
    one_of_the_librarys(ways, Next::passes);
    EXPECT_FALSE(ways.passes(Call::neighbor_alltoall));
  }
}

TEST_F(OfOne, ANewHintEndsPassing) {
  Ways ways(alone, settings);
  bool passed = false;
  for (int i = 0; i < 100 && !passed; ++i)
    passed = one_of_the_librarys(ways, Next::passes) && ways.passes(Call::neighbor_alltoall);
  ASSERT_TRUE(passed);
  ways.hints().alltoallv = "native";
  EXPECT_FALSE(ways.passes(Call::neighbor_alltoall));
}

TEST_F(OfOne, TheClockIsThatOfTheNodeUnlessThereAreSeveral) {
  EXPECT_EQ(Ways::clock_of({.nodes = 1, .crowding = 1}), Trials::Clock::of_node);
  EXPECT_EQ(Ways::clock_of({.nodes = 1, .crowding = 2}), Trials::Clock::of_crowded_node);
  EXPECT_EQ(Ways::clock_of({.nodes = 2, .crowding = 2}), Trials::Clock::of_each);
}

}  // namespace
}  // namespace heddle::engine
