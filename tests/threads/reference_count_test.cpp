#include "threads/reference_count.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle::threads::reference_count_test {
namespace {

class Item final : public ReferenceCount<Item> {
 public:
  explicit Item(int& gone) : gone_(gone) {}

 private:
  friend ReferenceCount<Item>;
  ~Item() { ++gone_; }
  int& gone_;
};

class Counting : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { concurrent = GetParam(); }
  void TearDown() override { concurrent = true; }
};

TEST_P(Counting, TheLastUseDeletes) {
  int gone = 0;
  auto* const item = new Item(gone);
  EXPECT_FALSE(item->is_shared());
  item->retain();
  EXPECT_TRUE(item->is_shared());
  item->release();
  EXPECT_FALSE(item->is_shared());
  EXPECT_EQ(gone, 0);
  item->release();
  EXPECT_EQ(gone, 1);
}

INSTANTIATE_TEST_SUITE_P(ReferenceCount, Counting, testing::Bool());

TEST(ReferenceCount, IsHeldByThreads) {
  constexpr int each = 10000;
  int gone = 0;
  auto* const item = new Item(gone);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    item->retain();
    threads.emplace_back([item] {
      for (int k = 0; k < each; ++k) item->retain();
      for (int k = 0; k <= each; ++k) item->release();
    });
  }
  item->release();
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(gone, 1);
}

}  // namespace
}  // namespace heddle::threads::reference_count_test
