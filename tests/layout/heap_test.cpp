// Once warm, moving data takes no memory from the heap. Messages are packed and pulled in calls
// that must not fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <tuple>
#include <vector>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"
#include "layout/transfer.hpp"

namespace {
thread_local long allocations = 0;
}

// Inlined, GCC would see one half of a new/delete pair give memory to the inside of the other, and
// warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace heddle::layout::heap_test {
namespace {

template <class Work>
long allocations_of(Work work) {
  work();  // makes nests ready
  const long before = allocations;
  work();
  return allocations - before;
}

std::vector<Layout> layouts_of_64_KiB() {
  const Layout rows = vector(64, 1, 2, basic(1024));
  const std::vector<Count> lengths{700, 324, 500, 524}, at{0, 800, 1300, 2000};
  const Layout ragged = hindexed(lengths, at, basic(1));  // 2048 bytes
  const Layout columns = contiguous(64, resized(vector(64, 1, 64, basic(16)), 0, 16));
  const std::vector<Count> ones{1, 1};
  const std::vector<Bytes> halves{0, 50000};
  const std::vector<Layout> both{vector(32, 1, 2, basic(1024)), vector(2048, 1, 3, basic(16))};
  return {rows, contiguous(32, resized(ragged, 0, 3000)), columns, structure(ones, halves, both), basic(1 << 16)};
}

TEST(Heap, IsLeftAloneByPacksAndTransfers) {
  const std::vector<Layout> layouts = layouts_of_64_KiB();
  std::vector<std::byte> memory(1 << 20), packed(1 << 18), target(1 << 20);
  for (std::size_t i = 0; i < layouts.size(); ++i)
    for (const Count count : {1, 3}) {
      const Layout& from = layouts[i];
      ASSERT_EQ(from.size(), 1 << 16);
      EXPECT_EQ(allocations_of([&] { pack(from, count, memory.data(), packed.data()); }), 0) << i;
      EXPECT_EQ(allocations_of([&] { pack_range(from, count, memory.data(), 1001, 40000, packed.data()); }), 0) << i;
      EXPECT_EQ(allocations_of([&] { unpack(from, count, target.data(), packed.data()); }), 0) << i;
      for (std::size_t j = 0; j < layouts.size(); ++j)
        EXPECT_EQ(allocations_of([&] { transfer(from, count, memory.data(), layouts[j], count, target.data()); }), 0)
            << i << " to " << j << ", " << count << " times";
    }
}

TEST(Heap, IsLeftAloneByCursors) {
  for (const Layout& layout : layouts_of_64_KiB())
    for (const Count count : {1, 3})
      EXPECT_EQ(allocations_of([&] {
                  Cursor cursor(layout, count);
                  cursor.seek(cursor.size() / 2 + 1);
                  while (!cursor.done()) cursor.next(1000);
                }),
                0);
}

/// A type so deep that its path does not fit into a cursor.
TEST(Heap, IsUsedForPathsOfManyLevels) {
  std::vector<Layout> levels{basic(8)};
  for (int depth = 0; depth < 12; ++depth)
    levels.push_back(vector(2, 1, 2 + depth % 2, resized(levels.back(), 0, 3 * levels.back().extent())));
  const Layout& deep = levels.back();
  std::vector<Segment> forwards;
  for (Cursor cursor(deep, 2); !cursor.done();) forwards.push_back(cursor.next());
  ASSERT_EQ(forwards.size(), 2U << 12);
  Cursor cursor(deep, 2);
  for (std::size_t i = forwards.size(); i-- > 0;) {
    cursor.seek(static_cast<Bytes>(i) * 8);
    ASSERT_EQ(cursor.next(), forwards[i]);
  }
}

}  // namespace
}  // namespace heddle::layout::heap_test
