#include "threads/free_lists.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace heddle::threads::free_lists_test {
namespace {

TEST(FreeLists, GiveTheLastOfThatSizeAgain) {
  static constinit FreeLists lists;
  void* const one = lists.take(100);
  void* const other = lists.take(128);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one, other);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % 64, 0U);
  lists.give(one, 100);
  lists.give(other, 128);
  EXPECT_EQ(lists.take(65), other) << "of two cache lines each";
  EXPECT_EQ(lists.take(65), one);
  lists.give(one, 65);
  void* const small = lists.take(64);
  EXPECT_NE(small, one);
  lists.give(small, 64);
  lists.give(other, 65);
  lists.give(nullptr, 100);
}

TEST(FreeLists, KeepNothingLarge) {
  static constinit FreeLists lists;
  constexpr std::size_t large = 256 * 64 + 1;
  void* const memory = lists.take(large);
  ASSERT_TRUE(memory);
  lists.give(memory, large);
}

}  // namespace
}  // namespace heddle::threads::free_lists_test
