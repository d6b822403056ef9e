// Ranks as threads. Under the thread sanitizer, a missing order is a data race.
#include "engine/file/access_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::engine::files::access_order_test {
namespace {

constexpr auto no_progress = [] {};

/// Calls act(rank, order) on so many ranks, each a thread, with more ranks than cores.
void on_ranks(int ranks, bool tries, const std::function<void(int, AccessOrder&)>& act) {
  std::vector<AccessWords> words(static_cast<std::size_t>(ranks));
  std::vector<const AccessWords*> all;
  for (const AccessWords& each : words) all.push_back(&each);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      AccessOrder order(words[static_cast<std::size_t>(rank)], all, tries, true);
      act(rank, order);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST(AccessOrder, ARankBeginsWhenAllHaveEndedTheAccessesBefore) {
  constexpr int ranks = 3, accesses = 200;
  std::array<int, ranks> written{};  // in access k, rank r writes element (r + k) % ranks
  std::array<int, ranks> wrong{};
  on_ranks(ranks, false, [&](int rank, AccessOrder& order) {
    for (int k = 0; k < accesses; ++k) {
      int& mine = written[static_cast<std::size_t>((rank + k) % ranks)];
      wrong[static_cast<std::size_t>(rank)] += !order.begin(true, no_progress) || mine != k;
      mine = k + 1;
      order.end();
    }
  });
  EXPECT_EQ(wrong, (std::array<int, ranks>{}));
}

TEST(AccessOrder, ARankThatWaitsMakesProgress) {
  std::atomic<int> progressed{0};
  std::array<AccessWords, 2> words{};
  AccessOrder order(words[0], {&words[0], &words[1]}, false, false);
  std::thread other([&] {
    while (progressed < 10) std::this_thread::yield();
    words[1].terms[1].fits = true;
    words[1].come.store(1, std::memory_order_release);
  });
  EXPECT_TRUE(order.begin(true, [&] { ++progressed; }));
  EXPECT_GE(progressed, 10);
  other.join();
}

TEST(AccessOrder, AnAccessThatDoesNotFitOnOneRankIsTheLibrarysOnAll) {
  constexpr int accesses = 100;
  std::array<std::vector<bool>, 2> independent;
  on_ranks(2, false, [&](int rank, AccessOrder& order) {
    for (int k = 0; k < accesses; ++k) {
      independent[static_cast<std::size_t>(rank)].push_back(order.begin(k % 3 != rank, no_progress));
      order.end();
    }
  });
  EXPECT_EQ(independent[0], independent[1]);
  for (std::size_t k = 0; k < accesses; ++k) EXPECT_EQ(independent[0][k], k % 3 == 2) << k;
}

TEST(AccessOrder, EachRankGetsTheTermsOfAll) {
  constexpr int ranks = 3, meetings = 100;
  std::array<int, ranks> right{};
  on_ranks(ranks, false, [&](int rank, AccessOrder& order) {
    for (int k = 0; k < meetings; ++k)
      order.meet({.bytes = {k, rank}, .size = 7}, no_progress, [&](std::size_t other, const AccessTerms& terms) {
        const bool same = terms.bytes.from == k && std::cmp_equal(terms.bytes.length, other) && terms.size == 7;
        right[static_cast<std::size_t>(rank)] += same;
      });
  });
  for (const int each : right) EXPECT_EQ(each, ranks * meetings);
}

TEST(AccessOrder, AllRanksTryBothWaysAndDecideAlike) {
  constexpr int tries = 2 * AccessTrial::pairs;
  std::array<std::vector<bool>, 2> independent;
  on_ranks(2, true, [&](int rank, AccessOrder& order) {
    std::vector<bool>& mine = independent[static_cast<std::size_t>(rank)];
    for (int k = 0; k < tries + 4; ++k) {
      mine.push_back(order.begin(true, no_progress));
      if (mine.back()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      order.end();
    }
  });
  EXPECT_EQ(independent[0], independent[1]);
  const std::vector<bool> tried(independent[0].begin(), independent[0].begin() + tries);
  EXPECT_EQ(tried, (std::vector<bool>{true, false, false, true, true, false, false, true}));
  EXPECT_EQ(std::count(independent[0].begin() + tries, independent[0].end(), true), 0) << "the library was quicker";
}

// An error handler may leave the call.
TEST(AccessOrder, ARankThatDoesNotEndAnAccessDecidesAsTheOthers) {
  std::array<std::vector<bool>, 2> independent;
  on_ranks(2, true, [&](int rank, AccessOrder& order) {
    for (int k = 0; k < 30; ++k) {
      independent[static_cast<std::size_t>(rank)].push_back(order.begin(true, no_progress));
      if (rank == 0 || k % 5 != 0) order.end();
    }
  });
  EXPECT_EQ(independent[0], independent[1]);
}

TEST(AccessTrial, VotesForTheQuickerOfEachPair) {
  using std::chrono::microseconds;
  const auto votes = [](auto time) {
    AccessTrial trial;
    while (!trial.over()) {
      trial.next();
      trial.took(time(trial.library_has_turn()));
    }
    return trial.votes();
  };
  EXPECT_EQ(votes([](bool library) { return microseconds(library ? 5 : 6); }), AccessTrial::pairs);
  EXPECT_EQ(votes([](bool library) { return microseconds(library ? 6 : 5); }), 0);
  EXPECT_EQ(votes([](bool) { return microseconds(5); }), 0);
  int number = 0;
  const int mixed = votes([&](bool library) { return microseconds((number++ % 2 ? 1000 : 1) + (library ? 0 : 1)); });
  EXPECT_EQ(mixed, AccessTrial::pairs / 2) << "short and long accesses in turn";
}

TEST(AccessTrial, AnAccessWithoutATimeTakesItsPairAway) {
  AccessTrial trial;
  for (int i = 0; !trial.over(); ++i) {
    trial.next();
    if (i != 1 && i != 2) trial.took(std::chrono::microseconds(trial.library_has_turn() ? 5 : 6));
  }
  EXPECT_EQ(trial.votes(), AccessTrial::pairs - 2);
}

TEST(AccessTrial, TheLibraryWinsByMoreThanTwoThirds) {
  EXPECT_FALSE(AccessTrial::library_wins(5, 2));
  EXPECT_TRUE(AccessTrial::library_wins(6, 2));
  EXPECT_FALSE(AccessTrial::library_wins(0, 1));
  EXPECT_TRUE(AccessTrial::library_wins(4, 1));
}

}  // namespace heddle::engine::files::access_order_test
