// The registrations and their lifetime. A registration is not used for memory that is mapped at its
// address later.
#include "transport/fabric/registrations.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>

#include "faults.hpp"
#include "job.hpp"

namespace heddle::transport::fabric::testing {
namespace {

using layout::Segment;

TEST(Group, LeavesOutLargeGapsOnly) {
  const Prices prices{.call = 1200, .page = 120};  // ten pages
  const layout::Layout near = layout::hvector(100, 1, 3 * 4096, layout::basic(512));
  EXPECT_EQ(group(near, 1, near.size(), prices, 16), (std::vector<Segment>{{0, 99 * 3 * 4096 + 512}}));
  const layout::Layout far = layout::hvector(5, 1, 64 * 4096, layout::basic(512));
  EXPECT_EQ(group(far, 1, far.size(), prices, 16).size(), 5u);
  EXPECT_TRUE(group(far, 1, far.size(), prices, 4).empty());
  EXPECT_EQ(group(far, 1, 2 * 512 + 1, prices, 16), (std::vector<Segment>{{0, 512}, {64 * 4096, 512}, {128 * 4096, 1}}));
  // The blocks are not in memory order, and the gap between two clusters is large.
  const Bytes at[] = {900'000, 0, 901'000, 100};
  const layout::Layout mixed = layout::hindexed_block(64, at, layout::basic(1));
  EXPECT_EQ(group(mixed, 1, mixed.size(), prices, 16), (std::vector<Segment>{{0, 164}, {900'000, 1064}}));
}

TEST(Group, CoversEveryBlock) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Bytes> at;
    for (int i = 0; i < 60; ++i) at.push_back(static_cast<Bytes>(random() % 1'000'000) * 64);
    const layout::Layout list = layout::hindexed_block(64, at, layout::basic(1));
    const std::vector<Segment> regions = group(list, 2, 2 * list.size(), {}, 1000);
    layout::Cursor cursor(list, 2);
    while (!cursor.done()) {
      const Segment block = cursor.next();
      EXPECT_TRUE(std::ranges::any_of(regions, [&](const Segment& region) {
        return region.offset <= block.offset && region.offset + region.length >= block.offset + block.length;
      }));
    }
    for (std::size_t i = 1; i < regions.size(); ++i)
      EXPECT_GE(regions[i].offset, regions[i - 1].offset + regions[i - 1].length + 4096);
  }
}

/// Runs `body` with registrations over a real endpoint.
void with_registrations(Keep keep, Bytes limit, const std::function<void(Registrations&, Faults&, Budget&)>& body) {
  run_job(1, "shm", [&](Job& job) {
    std::string why;
    auto real = open_endpoint({.provider = job.provider}, why);
    if (!real) return;
    Faults faults;
    Faulty endpoint(std::move(real), faults);
    Budget budget{.limit = limit};
    const auto monitor = keep == Keep::watched ? Monitor::start(why) : nullptr;
    if (keep == Keep::watched && !monitor) return;  // a kernel that forbids the monitor: nothing is kept there
    Registrations registrations(endpoint, budget, keep, monitor.get(), {});
    body(registrations, faults, budget);
  });
}

std::byte* map(std::size_t bytes, void* at = nullptr) {
  void* const memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

TEST(Registrations, AreMadeOnceAndAnewWhenMemoryHasChanged) {
  with_registrations(Keep::watched, 1 << 30, [](Registrations& registrations, Faults& faults, Budget& budget) {
    constexpr std::size_t bytes = 1 << 20;
    const layout::Layout piece = layout::basic(bytes);
    std::byte* const at = map(bytes);
    for (int round = 0; round < 50; ++round) {
      for (int use = 0; use < 3; ++use) {
        Holding held;
        ASSERT_EQ(registrations.hold({&piece, 1, at}, bytes, true, 4, held), Failure::none);
        ASSERT_NE(held.find(at + bytes - 1), nullptr);
        EXPECT_EQ(held.find(at + bytes), nullptr);
        registrations.drop(held);
      }
      EXPECT_EQ(faults.enlisted, round + 1);
      switch (round % 3) {
        case 0:
          munmap(at, bytes);
          ASSERT_EQ(map(bytes, at), at);
          break;
        case 1:
          ASSERT_EQ(map(bytes, at), at);  // new memory over the old
          break;
        default:
          madvise(at + 4096, 4096, MADV_DONTNEED);  // a part
      }
    }
    // Memory that malloc frees and allocates again.
    for (int round = 0; round < 50; ++round) {
      const auto memory = std::make_unique<std::byte[]>(bytes);
      Holding held;
      ASSERT_EQ(registrations.hold({&piece, 1, memory.get()}, bytes, true, 4, held), Failure::none);
      registrations.drop(held);
    }
    munmap(at, bytes);
    EXPECT_LT(budget.used, static_cast<Bytes>(8 * bytes));
  });
}

TEST(Registrations, OfAPersistentOperationAreMadeAnewOnlyWhenMemoryHasChanged) {
  with_registrations(Keep::watched, 1 << 30, [](Registrations& registrations, Faults& faults, Budget& budget) {
    constexpr std::size_t bytes = 1 << 20;
    const layout::Layout piece = layout::basic(bytes);
    std::byte* const at = map(bytes);
    Holding kept;
    for (int round = 0; round < 10; ++round) {
      for (int start = 0; start < 3; ++start) {
        ASSERT_EQ(registrations.hold_again({&piece, 1, at}, true, 4, kept), Failure::none);
        ASSERT_NE(kept.find(at + bytes - 1), nullptr);
      }
      EXPECT_EQ(faults.enlisted, round + 1);
      ASSERT_EQ(map(bytes, at), at);  // new memory over the old
    }
    registrations.drop(kept);
    munmap(at, bytes);
    EXPECT_LE(budget.used, static_cast<Bytes>(bytes));
  });
}

TEST(Registrations, StayWithinTheBudget) {
  with_registrations(Keep::always, 64 << 10, [](Registrations& registrations, Faults&, Budget& budget) {
    const layout::Layout piece = layout::basic(16 << 10);
    std::byte* const at = map(1 << 20);
    std::vector<Holding> used(3);
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(registrations.hold({&piece, 1, at + i * (64 << 10)}, 16 << 10, true, 4, used[static_cast<std::size_t>(i)]),
                Failure::none);
    // Registrations in use stay. The others give way, the oldest first.
    for (int i = 3; i < 10; ++i) {
      Holding held;
      ASSERT_EQ(registrations.hold({&piece, 1, at + i * (64 << 10)}, 16 << 10, true, 4, held), Failure::none);
      EXPECT_LE(budget.used, budget.limit);
      registrations.drop(held);
    }
    const layout::Layout large = layout::basic(32 << 10);
    Holding held;
    EXPECT_EQ(registrations.hold({&large, 1, at + (900 << 10)}, 32 << 10, true, 4, held), Failure::registration);
    EXPECT_TRUE(held.empty());
    for (Holding& one : used) registrations.drop(one);
    EXPECT_EQ(registrations.hold({&large, 1, at + (900 << 10)}, 32 << 10, true, 4, held), Failure::none);
    registrations.drop(held);
  });
}

TEST(Registrations, RefusedAsAGroupAreTakenBlockByBlock) {
  with_registrations(Keep::always, 1 << 30, [](Registrations& registrations, Faults& faults, Budget&) {
    const layout::Layout spread = layout::hvector(4, 1, 4 * 4096, layout::basic(100));
    std::byte* const at = map(1 << 20);
    faults.refuse_from = 2 * 4096 + 1;  // as if the gaps had no memory
    Holding held;
    ASSERT_EQ(registrations.hold({&spread, 1, at}, spread.size(), true, 16, held), Failure::none);
    EXPECT_EQ(held.all().size(), 4u);
    for (int i = 0; i < 4; ++i) EXPECT_NE(held.find(at + i * 4 * 4096 + 99), nullptr);
    registrations.drop(held);
    faults.refuse_from = 1;
    std::byte* const other = map(1 << 20);
    EXPECT_EQ(registrations.hold({&spread, 1, other}, spread.size(), true, 16, held), Failure::registration);
  });
}

}  // namespace
}  // namespace heddle::transport::fabric::testing
