#include "threads/lingering.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace heddle::threads {
namespace {

struct Item : Lingers<Item> {
  Item(int which, std::vector<int>& gone) : number(which), deleted(gone) {}
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  ~Item() { deleted.push_back(number); }
  const int number;
  std::vector<int>& deleted;
};

class LingeringItems : public testing::Test {
 protected:
  LingeringItems() {
    for (int i = 0; i < 5; ++i) items.add(new Item(i, deleted));
  }
  ~LingeringItems() override {
    items.look([](Item&) { return true; });
  }
  std::vector<int> deleted;
  Lingering<Item> items;
};

TEST_F(LingeringItems, AreDeletedWhenTheyHaveEnded) {
  items.look([](Item& each) { return each.number % 2 == 0; });
  EXPECT_EQ(deleted, (std::vector{4, 2, 0}));
  EXPECT_TRUE(items.any());
  items.look([](Item& /*each*/) { return true; });
  EXPECT_EQ(deleted, (std::vector{4, 2, 0, 3, 1}));
  EXPECT_FALSE(items.any());
}

TEST_F(LingeringItems, AreLookedAtByOneThreadAtATime) {
  items.look([&](Item& /*each*/) {
    std::thread([&] {
      items.look([](Item& /*each*/) -> bool {
        ADD_FAILURE();
        return true;
      });
    }).join();
    return true;
  });
  EXPECT_EQ(deleted.size(), 5U);
}

TEST_F(LingeringItems, MayBeAddedWithinALook) {
  items.look([&](Item& each) {
    if (each.number == 4) items.add(new Item(5, deleted));
    items.look([](Item& /*each*/) -> bool {
      ADD_FAILURE() << "this thread looks already";
      return true;
    });
    return true;
  });
  EXPECT_EQ(deleted, (std::vector{4, 3, 2, 1, 0}));
  EXPECT_TRUE(items.any());
  items.look([](Item& /*each*/) { return true; });
  EXPECT_EQ(deleted.back(), 5);
  EXPECT_FALSE(items.any());
}

TEST_F(LingeringItems, HaveEndedWhenAnotherThreadHasBeenWaitedFor) {
  std::atomic<bool> looking{false}, ended{false};
  std::thread other([&] {
    items.look([&](Item& /*each*/) {
      looking = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ended = true;
      return true;
    });
  });
  while (!looking) std::this_thread::yield();
  items.look([](Item& /*each*/) { return false; });
  EXPECT_TRUE(ended);
  other.join();
}

TEST(Lingering, LeavesForGoodWhatIsGivenUp) {
  std::vector<int> deleted;
  Lingering<Item> items;
  Item last(7, deleted);
  items.add(&last);
  items.add(new Item(8, deleted));
  EXPECT_TRUE(items.any());
  items.give_up([](Item& each) { return each.number == 8; });
  EXPECT_EQ(deleted, std::vector{8});
  EXPECT_TRUE(items.any()) << "there was one that has not ended";
  items.look([](Item& /*each*/) -> bool {
    ADD_FAILURE();
    return true;
  });
}

}  // namespace
}  // namespace heddle::threads
