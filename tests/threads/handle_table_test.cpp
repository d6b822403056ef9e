#include "threads/handle_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace heddle::threads::handle_table_test {
namespace {

using Table = HandleTable<int, int>;

TEST(HandleTable, FindsWhatWasInserted) {
  static constinit Table table;
  int one = 1, two = 2;
  EXPECT_FALSE(table.find(7));
  table.insert(7, &one);
  table.insert(-8, &two);
  EXPECT_EQ(table.find(7), &one);
  EXPECT_EQ(table.find(-8), &two);
  EXPECT_FALSE(table.find(8));
  table.insert(7, &two);
  EXPECT_EQ(table.find(7), &two);
}

TEST(HandleTable, ForgetsWhatWasErased) {
  static constinit Table table;
  int entry = 0;
  table.insert(7, &entry);
  table.erase(7);
  table.erase(9);
  EXPECT_FALSE(table.find(7));
  table.insert(7, &entry);
  EXPECT_EQ(table.find(7), &entry);
  table.clear();
  EXPECT_FALSE(table.find(7));
}

TEST(HandleTable, TakesPointersAsHandles) {
  static constinit HandleTable<const char*, int> table;
  const char handles[2] = "a";
  int entry = 0;
  table.insert(&handles[0], &entry);
  EXPECT_EQ(table.find(&handles[0]), &entry);
  EXPECT_FALSE(table.find(&handles[1]));
}

TEST(HandleTable, GrowsAndKeepsAll) {
  static constinit Table table;
  std::vector<int> entries(10'000);
  for (int i = 0; i < 10'000; ++i) table.insert(i + 1, &entries[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 10'000; i += 2) table.erase(i + 1);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(table.find(i + 1), i % 2 ? &entries[static_cast<std::size_t>(i)] : nullptr) << i;
}

/// A program that makes and frees datatypes all the time has few of them at once.
TEST(HandleTable, UsesPlacesOfErasedHandlesAgain) {
  static constinit Table table;
  int entry = 0;
  for (int i = 1; i < 100'000; ++i) {
    table.insert(i, &entry);
    ASSERT_EQ(table.find(i), &entry);
    table.erase(i);
    ASSERT_FALSE(table.find(i));
  }
}

TEST(HandleTable, IsReadWhileItGrows) {
  static constinit Table table;
  int entry = 0;
  table.insert(1, &entry);
  std::atomic<bool> over{false};
  std::atomic<int> missed{0};
  std::thread reader([&] {
    while (!over) missed += table.find(1) != &entry || table.find(-1);
  });
  for (int i = 2; i < 20'000; ++i) table.insert(i, &entry);
  over = true;
  reader.join();
  EXPECT_EQ(missed, 0);
}

TEST(Handles, AreNumbersAndBack) {
  EXPECT_EQ(key_of(-1), 0xffffffffU);
  EXPECT_EQ(handle_of(key_of(-1, 5), 5), -1);
  EXPECT_EQ(key_of(5, 5), 0U);  // the key that means none
  EXPECT_EQ(handle_of(0, 5), 5);
  int one = 0;
  int none = 0;
  EXPECT_EQ(handle_of(key_of(&one, &none), &none), &one);
  EXPECT_EQ(handle_of(key_of(&none, &none), &none), &none);
}

}  // namespace
}  // namespace heddle::threads::handle_table_test
