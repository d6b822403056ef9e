// select/collective/trial.hpp: each way gets half of the calls, and the quicker way is kept.
#include "select/collective/trial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace heddle::select::trial_test {
namespace {

/// Makes calls that last `time`, by the way and the number of the call. Returns the way of each
/// call (true: the library's).
std::vector<bool> candidates_of(int calls, const std::function<std::int64_t(bool library, int call)>& time) {
  Trial trial;
  Trial::Spans spans{}, reduced{};
  std::vector<bool> candidates;
  for (int call = 0; call < calls; ++call) {
    if (trial.counts()) trial.settle(reduced);
    if (trial.begins()) reduced = spans;
    const bool library = trial.library();
    if (const int sample = trial.sample(); sample >= 0) spans[static_cast<std::size_t>(sample)] = time(library, call);
    candidates.push_back(library);
    trial.next();
  }
  return candidates;
}

int by_library(const std::vector<bool>& candidates, int from, int to, int step = 1) {
  int many = 0;
  for (int call = from; call < to; call += step) many += candidates[static_cast<std::size_t>(call)] ? 1 : 0;
  return many;
}

constexpr int begin = Trial::warm, end = begin + Trial::calls, settled = end + Trial::later;

TEST(Trial, GivesEachWayHalfOfTheCalls) {
  const auto candidates = candidates_of(end, [](bool, int) { return 1000; });
  EXPECT_EQ(by_library(candidates, 0, begin), 0);
  EXPECT_EQ(by_library(candidates, begin, end), Trial::calls / 2);
}

TEST(Trial, TimesAsManyEachWayOfCallsThatTakeTurns) {
  for (const int period : {2, 4})
    for (int first = 0; first < period; ++first) {
      std::array<int, 2> timed{};
      candidates_of(end, [&](bool library, int call) {
        if (call % period == first) ++timed[library ? 1 : 0];
        return 1000;
      });
      EXPECT_EQ(timed[0], Trial::samples / period / 2) << period << ", " << first;
      EXPECT_EQ(timed[1], Trial::samples / period / 2) << period << ", " << first;
    }
}

// After a call of the other way, the data lie in other caches. The time of the next call would not
// be typical.
TEST(Trial, TimesNoCallAfterOneOfTheOtherWay) {
  std::vector<int> timed;
  const auto candidates = candidates_of(end, [&](bool, int call) {
    timed.push_back(call);
    return 1000;
  });
  ASSERT_EQ(timed.size(), Trial::samples);
  for (const int call : timed)
    EXPECT_EQ(candidates[static_cast<std::size_t>(call)], candidates[static_cast<std::size_t>(call) - 1]) << call;
}

TEST(Trial, BeginsAtOnceIfCallsHaveComeBefore) {
  const Trial trial(true);
  EXPECT_EQ(trial.quiet(), 0);
  EXPECT_FALSE(trial.library());
  EXPECT_FALSE(trial.begins());
  EXPECT_GT(Trial(false).quiet(), 0);
}

/// A caller need not ask the trial in a quiet stretch: next(quiet) counts its calls afterwards.
TEST(Trial, IsQuietUntilTheNextOne) {
  Trial trial, passed;
  Trial::Spans spans{};
  for (int call = 0; call <= settled; ++call) {
    for (Trial* const one : {&trial, &passed}) {
      if (one->counts()) one->settle(spans);
      one->next();
    }
    EXPECT_EQ(trial.quiet() > 0, call + 1 < begin || call == settled) << call;
  }
  const std::int64_t quiet = passed.quiet();
  passed.next(quiet);
  for (std::int64_t call = 0; call < quiet; ++call) {
    EXPECT_TRUE(trial.sample() < 0 && !trial.begins() && !trial.counts()) << call;
    trial.next();
  }
  EXPECT_EQ(trial.quiet(), 0);
  for (int call = 0; call < Trial::calls; ++call, trial.next(), passed.next()) EXPECT_EQ(trial.sample(), passed.sample());
  EXPECT_TRUE(trial.begins() && passed.begins());
}

TEST(Trial, KeepsTheQuickerWay) {
  const auto quick = candidates_of(settled + 100, [](bool library, int) { return library ? 900 : 1000; });
  EXPECT_EQ(by_library(quick, end, settled), 0) << "nothing is known yet";
  EXPECT_EQ(by_library(quick, settled, settled + 100), 100);
  const auto heddle = candidates_of(settled + 100, [](bool library, int) { return library ? 1000 : 900; });
  EXPECT_EQ(by_library(heddle, settled, settled + 100), 0);
}

TEST(Trial, KeepsHeddlesWayWhereBothTakeAsLong) {
  EXPECT_EQ(
      by_library(candidates_of(settled + 100, [](bool library, int) { return library ? 985 : 1000; }), end, settled + 100), 0);
}

TEST(Trial, OneDisturbedCallDecidesNothing) {
  const auto candidates = candidates_of(settled + 10, [](bool library, int call) {
    return call == begin + 1 || call == begin + 4 ? 1000000 : library ? 900 : 1000;  // one of each way
  });
  EXPECT_EQ(by_library(candidates, settled, settled + 10), 10);
}

TEST(Trial, LongAndShortCallsThatTakeTurnsCountAlike) {
  const auto candidates =
      candidates_of(settled + 10, [](bool library, int call) { return (call % 2 == 0 ? 100 : 10000) * (library ? 9 : 10); });
  EXPECT_EQ(by_library(candidates, settled, settled + 10), 10);
}

TEST(Trial, ClocksThatDifferChangeNothing) {
  EXPECT_EQ(
      by_library(candidates_of(settled + 10, [](bool library, int) { return library ? -5 : 1000; }), settled, settled + 10), 0);
}

TEST(Trial, ComesAgainAndFindsThatTheOtherWayIsQuickerNow) {
  constexpr int again = settled + static_cast<int>(Trial::soon);
  constexpr int calls = again + Trial::calls + Trial::later + 50;
  const auto candidates = candidates_of(calls, [](bool library, int call) { return library == (call < again) ? 900 : 1000; });
  EXPECT_EQ(by_library(candidates, settled, again), again - settled);
  EXPECT_EQ(by_library(candidates, again, again + Trial::calls), Trial::calls / 2);
  EXPECT_EQ(by_library(candidates, calls - 50, calls), 0);
}

TEST(Trial, ComesSeldomWhereTheAnswerStays) {
  constexpr int calls = 200000;
  const auto candidates = candidates_of(calls, [](bool library, int) { return library ? 5000 : 1000; });
  EXPECT_LT(by_library(candidates, 0, calls), calls / 1000);
}

TEST(Magnitudes, AreEqualForNumbersOfAsManyDigits) {
  EXPECT_EQ(magnitudes({1000, 7}), magnitudes({513, 4}));
  EXPECT_NE(magnitudes({1000, 7}), magnitudes({1024, 7}));
  EXPECT_NE(magnitudes({1000, 7}), magnitudes({1000, 8}));
  EXPECT_NE(magnitudes({0, 1}), magnitudes({1, 0}));
}

}  // namespace
}  // namespace heddle::select::trial_test
