// Groups by the numbers of their handles: the last description of a number counts, until it is
// dropped.
#include "group/described.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle::group {
namespace {

TEST(Described, TheLastDescriptionOfANumberCounts) {
  Described groups;
  EXPECT_FALSE(groups.find(7));
  groups.insert(7, Group::world(3));
  groups.insert(8, Group::world(4));
  groups.insert(7, Group::world(5));
  ASSERT_TRUE(groups.find(7));
  EXPECT_EQ(groups.find(7)->size(), 5);
  EXPECT_EQ(groups.find(8)->size(), 4);
}

TEST(Described, WhatIsDroppedIsUnknown) {
  Described groups;
  groups.insert(7, Group::world(3));
  groups.erase(7);
  groups.erase(9);  // was never there
  EXPECT_FALSE(groups.find(7));
}

TEST(Described, ThreadsDoNotDisturbEachOther) {
  Described groups;
  std::vector<std::thread> threads;
  for (std::uint64_t mine = 0; mine < 4; ++mine)
    threads.emplace_back([&groups, mine] {
      for (int time = 1; time < 500; ++time) {
        groups.insert(mine, Group::world(time));
        EXPECT_EQ(groups.find(mine)->size(), time);
        if (time % 3 == 0) groups.erase(mine);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t key = 0; key < 4; ++key) EXPECT_EQ(groups.find(key)->size(), 499);
}

}  // namespace
}  // namespace heddle::group
