// A descriptor is watched until its message is fetched. After delivery, its receiver is told of a
// suspicion.
#include "engine/node/watched.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <vector>

namespace heddle::engine::watched_test {
namespace {

struct Delivery {
  bool done;
};
bool delivered(Delivery& each) { return each.done; }

/// A receiver's node memory, and control blocks of messages to it.
struct Receiver {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(static_cast<std::size_t>(Arena::head) / 8 + 8);
  std::vector<std::unique_ptr<Control>> controls;

  [[nodiscard]] Unclaimed unclaimed() {
    void* at = words.data();
    std::size_t room = 8 * words.size();
    return Unclaimed(static_cast<std::byte*>(std::align(64, static_cast<std::size_t>(Arena::head), at, room)));
  }
  const Control* message() {
    controls.push_back(std::make_unique<Control>());
    controls.back()->segments = 1;
    controls.back()->generation = 7;
    return controls.back().get();
  }
  void fetch(const Control* control) {
    for (auto& each : controls)
      if (each.get() == control) each->cells[0].state = State::taken;
  }
};

class WatchedTest : public testing::Test {
 protected:
  bool watch(const Control* control, bool done) {
    Watched<Delivery>::Taken taken(watched, 3, {.sender = 1, .control = 64 * ++number_, .generation = 7}, control);
    if (!taken) return false;
    taken->delivery.done = done;
    taken.watch();
    return true;
  }
  void look() {
    watched.look(delivered, [this](int peer) {
      EXPECT_EQ(peer, 3);
      return receiver.unclaimed();
    });
  }

  Watched<Delivery> watched;
  Receiver receiver;

 private:
  std::uint64_t number_ = 0;
};

TEST(WatchTurns, TheFirstAndThenOneOfSoMany) {
  WatchTurns turns;
  int watched = 0;
  for (int i = 0; i < WatchTurns::first; ++i) watched += turns.next(5);
  EXPECT_EQ(watched, WatchTurns::first);
  for (int i = 0; i < 10 * WatchTurns::every; ++i) watched += turns.next(5);
  EXPECT_EQ(watched, WatchTurns::first + 10);
  EXPECT_TRUE(turns.next(6));
}

TEST_F(WatchedTest, WhatIsFetchedIsNoLongerWatched) {
  const Control* const control = receiver.message();
  ASSERT_TRUE(watch(control, true));
  receiver.fetch(control);
  EXPECT_TRUE(watched.any());
  look();
  EXPECT_FALSE(watched.any());
  EXPECT_FALSE(receiver.unclaimed().any());
}

TEST_F(WatchedTest, ASuspicionIsTakenBackWhenTheMessageIsFetched) {
  const Control* const control = receiver.message();
  ASSERT_TRUE(watch(control, true));
  look();
  EXPECT_TRUE(receiver.unclaimed().any());
  EXPECT_TRUE(watched.any());
  receiver.fetch(control);
  look();
  EXPECT_FALSE(receiver.unclaimed().any());
  EXPECT_FALSE(watched.any());
}

TEST_F(WatchedTest, NothingIsSuspectedBeforeItIsDelivered) {
  ASSERT_TRUE(watch(receiver.message(), false));
  for (int i = 0; i < 40; ++i) look();
  EXPECT_FALSE(receiver.unclaimed().any());
  watched.for_each([](auto& each) { each.delivery.done = true; });
  look();
  EXPECT_TRUE(receiver.unclaimed().any());
}

TEST_F(WatchedTest, AReceiverThatCannotBeSureIsLeftInPeace) {
  ASSERT_TRUE(watch(receiver.message(), true));
  receiver.unclaimed().set_uncertain();
  look();
  EXPECT_FALSE(receiver.unclaimed().any());
  EXPECT_FALSE(watched.any());
}

TEST_F(WatchedTest, AFullTableTakesNoMoreAndEachHasItsTurn) {
  std::vector<const Control*> controls;
  for (int i = 0; i < Watched<Delivery>::most; ++i) ASSERT_TRUE(watch(controls.emplace_back(receiver.message()), true));
  EXPECT_FALSE(watch(receiver.message(), true));
  for (const Control* each : controls) receiver.fetch(each);
  for (int i = 0; i < Watched<Delivery>::most; ++i) {
    EXPECT_TRUE(watched.any());
    look();
  }
  EXPECT_FALSE(watched.any());
  EXPECT_TRUE(watch(receiver.message(), true));
}

TEST_F(WatchedTest, APlaceThatIsNotUsedIsFreeAgain) {
  for (int i = 0; i < 3 * Watched<Delivery>::most; ++i) {
    Watched<Delivery>::Taken taken(watched, 3, {}, receiver.message());
    ASSERT_TRUE(taken);
  }
  EXPECT_FALSE(watched.any());
}

TEST_F(WatchedTest, NoLookFromWithinALook) {
  ASSERT_TRUE(watch(receiver.message(), true));
  int looks = 0;
  watched.look(
      [&](Delivery& /*each*/) {
        ++looks;
        watched.look([&](Delivery& /*inner*/) { return ++looks > 0; }, [this](int /*peer*/) { return receiver.unclaimed(); });
        return false;
      },
      [this](int /*peer*/) { return receiver.unclaimed(); });
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace heddle::engine::watched_test
