// Ranks as threads. Under the thread sanitizer, a missing order is a data race.
#include "engine/file/access_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <vector>

namespace heddle::engine::files {
namespace {

void no_progress() noexcept {}

}  // namespace

TEST(AccessOrder, ARankBeginsWhenAllHaveEndedTheAccessesBefore) {
  constexpr int ranks = 3, accesses = 200;
  std::array<AccessCounter, ranks> counters{};
  std::array<int, ranks> written{};  // in access k, rank r writes element (r + k) % ranks
  std::array<int, ranks> wrong{};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::vector<const AccessCounter*> others;
      for (int other = 0; other < ranks; ++other)
        if (other != rank) others.push_back(&counters[static_cast<std::size_t>(other)]);
      AccessOrder order(counters[static_cast<std::size_t>(rank)], std::move(others), false);
      for (int k = 0; k < accesses; ++k) {
        int& mine = written[static_cast<std::size_t>((rank + k) % ranks)];
        wrong[static_cast<std::size_t>(rank)] += !order.begin(true, no_progress) || mine != k;
        mine = k + 1;
        order.ended();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, ranks>{}));
}

TEST(AccessOrder, ARankThatWaitsMakesProgress) {
  static std::atomic<int> progressed;
  const auto progress = []() noexcept { ++progressed; };
  progressed = 0;
  std::array<AccessCounter, 2> counters{};
  AccessOrder order(counters[0], {&counters[1]}, false);
  EXPECT_TRUE(order.begin(false, progress));
  EXPECT_EQ(progressed, 0) << "the first access waits for nobody";
  order.ended();
  std::thread other([&] {
    while (progressed < 10) std::this_thread::yield();
    counters[1].ended.store(1, std::memory_order_release);
  });
  EXPECT_TRUE(order.begin(false, progress));
  EXPECT_GE(progressed, 10);
  other.join();
}

TEST(AccessOrder, AnAccessWithoutBeginCounts) {
  std::array<AccessCounter, 2> counters{};
  AccessOrder order(counters[0], {&counters[1]}, false);
  order.ended();
  EXPECT_EQ(counters[0].ended, 1U);
}

TEST(AccessOrder, AllRanksTryBothWaysAndDecideAlike) {
  std::array<AccessCounter, 2> counters{};
  std::array<std::vector<bool>, 2> independent;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      AccessOrder order(counters[rank], {&counters[1 - rank]}, true);
      for (int k = 0; k < 12; ++k) {
        independent[rank].push_back(order.begin(true, no_progress));
        if (independent[rank].back()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        order.ended();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(independent[0], independent[1]);
  const std::vector<bool> tried(independent[0].begin(), independent[0].begin() + 2 * AccessTrial::pairs);
  EXPECT_EQ(tried, (std::vector<bool>{true, false, false, true, true, false, false, true}));
  EXPECT_EQ(std::count(independent[0].begin() + 2 * AccessTrial::pairs, independent[0].end(), true), 0)
      << "the library was quicker";
}

TEST(AccessTrial, VotesForTheQuickerOfEachPair) {
  using std::chrono::microseconds;
  const auto votes = [](auto time) {
    AccessTrial trial;
    while (!trial.over()) trial.took(time(trial.library_is_next()));
    return trial.votes();
  };
  EXPECT_EQ(votes([](bool library) { return microseconds(library ? 5 : 6); }), AccessTrial::pairs);
  EXPECT_EQ(votes([](bool library) { return microseconds(library ? 6 : 5); }), 0);
  EXPECT_EQ(votes([](bool) { return microseconds(5); }), 0);
  int number = 0;
  const int mixed = votes([&](bool library) { return microseconds((number++ % 2 ? 1000 : 1) + (library ? 0 : 1)); });
  EXPECT_EQ(mixed, AccessTrial::pairs / 2) << "short and long accesses in turn";
}

TEST(AccessTrial, TheLibraryWinsByMoreThanTwoThirds) {
  EXPECT_FALSE(AccessTrial::library_wins(5, 2));
  EXPECT_TRUE(AccessTrial::library_wins(6, 2));
  EXPECT_FALSE(AccessTrial::library_wins(0, 1));
  EXPECT_TRUE(AccessTrial::library_wins(4, 1));
}

}  // namespace heddle::engine::files
