#include "threads/locked_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

namespace heddle::threads::locked_table_test {
namespace {

struct Entry {
  bool hidden = false;
};
using Table = LockedTable<int, Entry>;

bool meant(const Entry& entry) { return !entry.hidden; }

TEST(LockedTable, FindsWhatIsMeant) {
  static constinit Table table;
  Entry one, other;
  EXPECT_TRUE(table.empty());
  ASSERT_TRUE(table.room());
  table.insert(7, &one);
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.find(7, meant), &one);
  EXPECT_FALSE(table.find(8, meant));
  one.hidden = true;
  EXPECT_FALSE(table.find(7, meant));
  EXPECT_TRUE(table.any([](const Entry& each) { return each.hidden; }));
  table.insert(7, &other);  // the handle was given out anew
  EXPECT_EQ(table.find(7, meant), &other);
  EXPECT_FALSE(table.any([](const Entry& each) { return each.hidden; }));
}

TEST(LockedTable, ErasesOnlyWhatIsStillKnown) {
  static constinit Table table;
  Entry one, other;
  table.insert(7, &one);
  table.erase(7, &other);
  EXPECT_EQ(table.find(7, meant), &one);
  table.erase(7, &one);
  table.erase(7, &one);
  EXPECT_FALSE(table.find(7, meant));
  EXPECT_TRUE(table.empty());
}

TEST(LockedTable, FindsARow) {
  static constinit Table table;
  Entry one, other;
  table.insert(1, &one);
  table.insert(3, &other);
  const int handles[] = {3, 2, 1};
  Entry* found[3];
  EXPECT_EQ(table.find(3, handles, found, meant), 2);
  EXPECT_EQ(found[0], &other);
  EXPECT_FALSE(found[1]);
  EXPECT_EQ(found[2], &one);
}

/// Compares with a map. Entries move up when others before them are erased, and move into wider
/// tables.
TEST(LockedTable, RandomHandlesComeAndGo) {
  static constinit Table table;
  std::mt19937 random(7);
  std::vector<Entry> entries(4096);
  std::unordered_map<int, Entry*> known;
  for (int round = 0; round < 200'000; ++round) {
    const int handle = static_cast<int>(random() % (round < 100'000 ? 300 : 8000)) * 4;
    const auto there = known.find(handle);
    ASSERT_EQ(table.find(handle, meant), there == known.end() ? nullptr : there->second);
    if (there != known.end()) {
      table.erase(handle, there->second);
      known.erase(there);
    } else {
      Entry* const entry = &entries[random() % entries.size()];
      ASSERT_TRUE(table.room());
      table.insert(handle, entry);
      known[handle] = entry;
    }
    ASSERT_EQ(table.empty(), known.empty());
  }
  for (const auto& [handle, entry] : known) ASSERT_EQ(table.find(handle, meant), entry);
}

TEST(LockedTable, ServesSeveralThreads) {
  static constinit Table table;
  const auto come_and_go = [](int first) {
    Entry entry;
    for (int i = 0; i < 20'000; ++i) {
      ASSERT_TRUE(table.room());
      table.insert(first + i, &entry);
      ASSERT_EQ(table.find(first + i, meant), &entry);
      if (i >= 100) table.erase(first + i - 100, &entry);
    }
    for (int i = 20'000 - 100; i < 20'000; ++i) table.erase(first + i, &entry);
  };
  std::thread other(come_and_go, 1'000'000);
  come_and_go(1);
  other.join();
  EXPECT_TRUE(table.empty());
}

}  // namespace
}  // namespace heddle::threads::locked_table_test
