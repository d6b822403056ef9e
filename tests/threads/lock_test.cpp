#include "threads/lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace heddle::threads::lock_test {
namespace {

constexpr int rounds = 100'000;

TEST(Lock, HoldsOthersOff) {
  ASSERT_TRUE(concurrent);  // until somebody says otherwise
  static constinit Lock lock;
  int number = 0;
  const auto count = [&] {
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard guard(lock);
      ++number;
    }
  };
  std::thread other(count);
  count();
  other.join();
  EXPECT_EQ(number, 2 * rounds);
}

TEST(Lock, DoesNothingForOneThread) {
  static constinit Lock lock;
  concurrent = false;
  lock.lock();
  lock.lock();
  lock.unlock();
  concurrent = true;
  EXPECT_TRUE(concurrent);
}

}  // namespace
}  // namespace heddle::threads::lock_test
