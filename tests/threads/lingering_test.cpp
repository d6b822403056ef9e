#include "threads/lingering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <functional>
#include <thread>
#include <vector>

namespace heddle::threads::lingering_test {
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
    for (Item*& each : made) items.add(each = new Item(static_cast<int>(&each - made.data()), deleted));
  }
  ~LingeringItems() override {
    items.look([](Item&) { return true; });
  }
  std::array<Item*, 5> made{};
  std::vector<int> deleted;
  Lingering<Item> items;
};

TEST_F(LingeringItems, AreDeletedWhenTheyHaveEnded) {
  items.look([](Item& each) { return each.number % 2 == 0; });
  EXPECT_EQ(deleted, (std::vector{0, 2, 4}));
  EXPECT_TRUE(items.any());
  items.look([](Item& /*each*/) { return true; });
  EXPECT_EQ(deleted, (std::vector{0, 2, 4, 1, 3}));
  EXPECT_FALSE(items.any());
}

TEST_F(LingeringItems, AreEachLookedAtByOneThreadAtATime) {
  std::vector<int> of_other;
  items.look([&](Item& each) {
    if (each.number == 2)
      std::thread([&] {
        items.look([&](Item& other) {
          of_other.push_back(other.number);
          return true;
        });
      }).join();
    return true;
  });
  EXPECT_EQ(of_other, (std::vector{3, 4})) << "0 and 1 are gone, and this thread looks at 2";
  EXPECT_EQ(deleted, (std::vector{0, 1, 3, 4, 2}));
}

// An error handler of the program may do so.
TEST_F(LingeringItems, AreLookedAtAgainAfterALongjmp) {
  static std::jmp_buf back;
  static std::vector<int> seen;
  seen.clear();
  for (int turn = 0; turn < 2; ++turn) {
    if (setjmp(back) == 0)
      items.look([](Item& each) {
        seen.push_back(each.number);
        if (each.number == 2) std::longjmp(back, 1);
        return each.number < 2;
      });
  }
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 2})) << "the second look begins at the entry of the first";
  EXPECT_EQ(deleted, (std::vector{0, 1}));
  EXPECT_TRUE(items.look([](Item& /*each*/) { return true; })) << "no entry counts as being looked at";
  EXPECT_EQ(deleted, (std::vector{0, 1, 2, 3, 4}));
  EXPECT_FALSE(items.any());
}

void from_a_deeper_frame(int levels, const std::function<void()>& call) {
  std::array<char, 512> frame{};
  levels > 0 ? from_a_deeper_frame(levels - 1, call) : call();
  asm volatile("" ::"r"(frame.data()) : "memory");  // the frame is not optimized away
}

TEST_F(LingeringItems, AreGivenUpBelowALookThatALongjmpHasLeft) {
  static std::jmp_buf back;
  if (setjmp(back) == 0) items.look([](Item& /*each*/) -> bool { std::longjmp(back, 1); });
  from_a_deeper_frame(8, [this] { items.give_up([](Item& each) { return each.number == 0; }); });
  EXPECT_EQ(deleted, std::vector{0}) << "the entry of that look was looked at again";
  for (std::size_t i = 1; i < made.size(); ++i) delete made[i];  // dropped, not deleted
}

TEST_F(LingeringItems, AreVisitedWhileAThreadLooks) {
  std::vector<int> seen;
  items.look([&](Item& each) {
    if (each.number == 0) items.for_each([&](const Item& one) { seen.push_back(one.number); });
    return false;
  });
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 3, 4}));
}

TEST_F(LingeringItems, MayBeAddedWithinALook) {
  items.look([&](Item& each) {
    if (each.number == 1) items.add(new Item(5, deleted));
    items.look([](Item& /*each*/) -> bool {
      ADD_FAILURE() << "this thread looks already";
      return true;
    });
    return true;
  });
  EXPECT_EQ(deleted, (std::vector{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(items.any());
}

TEST_F(LingeringItems, HoldNobodyUpForLong) {
  using std::chrono::steady_clock;
  std::atomic<bool> looking{false}, over{false};
  std::thread other([&] {
    items.look([&](Item& /*each*/) {
      looking = true;
      while (!over) std::this_thread::yield();
      return true;
    });
  });
  while (!looking) std::this_thread::yield();
  auto shortest = steady_clock::duration::max();  // a loaded machine may hold up some of the looks
  for (int i = 0; i < 20; ++i) {
    const auto since = steady_clock::now();
    items.look([](Item& /*each*/) { return false; });
    shortest = std::min(shortest, steady_clock::now() - since);
  }
  EXPECT_LT(shortest, std::chrono::milliseconds(50)) << "one look waits 50 ms, and not all of them";
  over = true;
  other.join();
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
}  // namespace heddle::threads::lingering_test
