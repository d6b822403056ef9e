// Ranks as threads. Under the thread sanitizer, a missing order is a data race.
#include "engine/file/access_order.hpp"

#include <gtest/gtest.h>

#include <array>
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
      AccessOrder order(counters[static_cast<std::size_t>(rank)], std::move(others));
      for (int k = 0; k < accesses; ++k) {
        int& mine = written[static_cast<std::size_t>((rank + k) % ranks)];
        order.wait(true, no_progress);
        wrong[static_cast<std::size_t>(rank)] += mine != k;
        mine = k + 1;
        order.ended();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, ranks>{}));
}

TEST(AccessOrder, ARankThatWaitsMakesProgress) {
  static std::atomic<int> progressed;
  progressed = 0;
  std::array<AccessCounter, 2> counters{};
  AccessOrder order(counters[0], {&counters[1]});
  order.wait(false, []() noexcept { ++progressed; });
  EXPECT_EQ(progressed, 0) << "the first access waits for nobody";
  order.ended();
  std::thread other([&] {
    while (progressed < 10) std::this_thread::yield();
    counters[1].ended.store(1, std::memory_order_release);
  });
  order.wait(false, []() noexcept { ++progressed; });
  EXPECT_GE(progressed, 10);
  other.join();
}

}  // namespace heddle::engine::files
