// When a rank may access the memory of another rank in a window. Each test plays two ranks in one
// process.
#include "engine/window/window.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace heddle::engine::window_test {
namespace {

using Kind = Permission::Kind;

/// A window of three ranks. The memory of ranks 0 and 1 is mapped.
struct Pair {
  static constexpr int ranks = 2;  ///< Of the node.
  alignas(WindowCounters) std::array<std::array<std::byte, 64>, 2> memory{};
  std::array<std::byte, 2> data{};
  WindowCounters& counters(std::size_t rank) { return *reinterpret_cast<WindowCounters*>(memory[rank].data()); }
  std::vector<Window::Target> targets() {
    return {{.rank = 0, .base = data.data(), .size = 1, .unit = 1, .counters = &counters(0)},
            {.rank = 1, .base = &data[1], .size = 1, .unit = 1, .counters = &counters(1)}};
  }
  Window origin{targets(), {0, 1, -1}, counters(0), 0};
  Window target{targets(), {0, 1, -1}, counters(1), 1};
  const int to_target = origin.find(1);

  /// The permission of the origin at the target.
  Kind kind() { return origin.permission(to_target).kind; }
};

int polls = 0;
void poll() noexcept { ++polls; }

bool granted(const Permission& permission) { return permission.kind == Kind::counted && comes_soon(permission, true, poll); }

}  // namespace

TEST(Window, KnowsOnlyRanksWhoseMemoryIsMapped) {
  Pair pair;
  EXPECT_EQ(pair.origin.target(pair.origin.find(1)).base, &pair.data[1]);
  for (const int rank : {2, 3, -1, -2, 1 << 30}) EXPECT_LT(pair.origin.find(rank), 0) << rank;
}

TEST(Window, IsClosedBeforeAnyEpoch) {
  Pair pair;
  EXPECT_EQ(pair.kind(), Kind::none);
}

TEST(Window, OfAFenceIsOpenWhenTheTargetHasComeBackFromItsFence) {
  Pair pair;
  pair.origin.fenced(true);
  EXPECT_EQ(pair.kind(), Kind::counted);
  polls = 0;
  EXPECT_FALSE(granted(pair.origin.permission(pair.to_target)));
  EXPECT_GT(polls, 0) << "the library makes progress meanwhile";
  pair.target.fenced(true);
  EXPECT_TRUE(granted(pair.origin.permission(pair.to_target)));
  pair.origin.fenced(true);
  EXPECT_FALSE(granted(pair.origin.permission(pair.to_target))) << "the fence before does not count";
}

TEST(Window, OfAFenceWaitsAShortWhile) {
  Pair pair;
  pair.origin.fenced(true);
  bool came = false;
  for (int tries = 0; tries < 1000 && !came; ++tries) {
    std::thread other([&] { pair.target.fenced(true); });
    came = granted(pair.origin.permission(pair.to_target));
    other.join();
  }
  EXPECT_TRUE(came);
}

TEST(Window, IsClosedByTheLastFence) {
  Pair pair;
  pair.origin.fenced(false);
  EXPECT_EQ(pair.kind(), Kind::none);
}

TEST(Window, OfAStartIsOpenWhenTheTargetHasPosted) {
  Pair pair;
  const std::array to{1, 2}, from{2, 0};
  for (int round = 0; round < 3; ++round) {
    pair.origin.started(to);
    EXPECT_EQ(pair.kind(), Kind::counted);
    EXPECT_FALSE(pair.origin.permission(pair.to_target).passive);
    EXPECT_FALSE(granted(pair.origin.permission(pair.to_target))) << "the post before does not count";
    EXPECT_EQ(pair.origin.permission(pair.origin.find(0)).kind, Kind::none) << "not in the group";
    pair.target.posted(from);
    EXPECT_TRUE(granted(pair.origin.permission(pair.to_target)));
    pair.origin.completed();
    EXPECT_EQ(pair.kind(), Kind::none);
  }
  pair.origin.started(std::array{0});
  EXPECT_EQ(pair.kind(), Kind::none) << "not in this group";
}

TEST(Window, CountsPostsForEachOrigin) {
  Pair pair;
  pair.target.posted(std::array{1, 2, 7, -1});
  pair.origin.started(std::array{1});
  EXPECT_FALSE(granted(pair.origin.permission(pair.to_target))) << "the post is for others";
}

TEST(Window, AsksForALockOnceInAnEpoch) {
  Pair pair;
  pair.origin.locked(1, true);
  EXPECT_EQ(pair.kind(), Kind::asked);
  EXPECT_TRUE(pair.origin.permission(pair.to_target).passive);
  pair.origin.lock_is_held(pair.to_target);
  EXPECT_EQ(pair.kind(), Kind::granted);
  EXPECT_EQ(pair.origin.permission(pair.origin.find(0)).kind, Kind::none) << "only that rank is locked";
  pair.origin.unlocked(1);
  EXPECT_EQ(pair.kind(), Kind::none);
  pair.origin.locked(1, true);
  EXPECT_EQ(pair.kind(), Kind::asked) << "the next epoch";
}

TEST(Window, NeedsNoLockIfTheProgramSaysSo) {
  Pair pair;
  pair.origin.locked(1, false);
  EXPECT_EQ(pair.kind(), Kind::granted);
  pair.origin.unlocked(1);
  pair.origin.all_locked(false);
  EXPECT_EQ(pair.kind(), Kind::granted);
}

TEST(Window, OfAllLocksAsksForEachRankOnceInAnEpoch) {
  Pair pair;
  pair.origin.all_locked(true);
  EXPECT_EQ(pair.kind(), Kind::asked);
  pair.origin.lock_is_held(pair.to_target);
  EXPECT_EQ(pair.kind(), Kind::granted);
  EXPECT_EQ(pair.origin.permission(pair.origin.find(0)).kind, Kind::asked);
  pair.origin.all_unlocked();
  EXPECT_EQ(pair.kind(), Kind::none);
  pair.origin.all_locked(true);
  EXPECT_EQ(pair.kind(), Kind::asked) << "the next epoch";
}

TEST(Window, OfLocksEndsTheEpochOfAFence) {
  Pair pair;
  pair.origin.fenced(true);
  pair.target.fenced(true);
  pair.origin.locked(0, true);
  EXPECT_EQ(pair.kind(), Kind::none);
  pair.origin.unlocked(0);
  EXPECT_EQ(pair.kind(), Kind::none);
  pair.origin.fenced(true);
  pair.target.fenced(true);
  EXPECT_TRUE(granted(pair.origin.permission(pair.to_target)));
}

TEST(Window, LocksOfRanksWithoutMappedMemoryAreIgnored) {
  Pair pair;
  for (const int rank : {2, 3, -1, -2}) {
    pair.origin.locked(rank, true);
    EXPECT_EQ(pair.kind(), Kind::none);
    pair.origin.unlocked(rank);
  }
}

TEST(Window, IsTheLibrarysAfterAnError) {
  Pair pair;
  pair.origin.give_up();
  pair.origin.fenced(true);
  pair.target.fenced(true);
  EXPECT_EQ(pair.kind(), Kind::none);
  EXPECT_EQ(pair.counters(0).fences, 1U) << "other ranks still access its memory";
  pair.origin.locked(1, true);
  EXPECT_EQ(pair.kind(), Kind::none);
  pair.origin.all_locked(true);
  EXPECT_EQ(pair.kind(), Kind::none);
}

}  // namespace heddle::engine::window_test
