// Accesses that the target carries out in the fence. Each test plays the ranks of a window in one
// process, call by call.
#include "engine/window/deferred_accesses.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "layout/pack.hpp"

namespace heddle::engine::deferred_accesses_test {
namespace {

using Access = DeferredAccesses::Access;

/// Memory of one rank that the others can map.
class Memory final : public DeferredAccesses::Memory {
 public:
  explicit Memory(std::vector<Memory*>& all) : all_(all) {}
  Block allocate(Bytes bytes) noexcept override {
    if (bytes > room) return {};
    auto& block = blocks_[++versions_];
    block.resize(static_cast<std::size_t>(bytes));
    return {block.data(), {.version = versions_, .offset = 0, .id = 0}};
  }
  void release(std::byte* address) noexcept override {
    EXPECT_EQ(std::erase_if(blocks_, [&](const auto& each) { return each.second.data() == address; }), 1U);
  }
  const std::byte* map(int rank, const transport::Place& place, Bytes bytes) noexcept override {
    Memory& there = *all_[static_cast<std::size_t>(rank)];
    const auto found = there.blocks_.find(place.version);
    if (refuses || found == there.blocks_.end() || place.offset < 0 || bytes < 0 ||
        place.offset + bytes > static_cast<Bytes>(found->second.size()))
      return nullptr;
    return found->second.data() + place.offset;
  }
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

  Bytes room = Bytes{1} << 40;  ///< A longer block is refused.
  bool refuses = false;         ///< It maps nothing.

 private:
  std::vector<Memory*>& all_;
  std::uint64_t versions_ = 0;
  std::map<std::uint64_t, std::vector<std::byte>> blocks_;
};

struct Rank {
  explicit Rank(std::vector<Memory*>& all, int ranks)
      : memory(all), lists_memory(static_cast<std::size_t>(DeferredLists::bytes(ranks) + 64)), window(4096) {
    const auto at = reinterpret_cast<std::uintptr_t>(lists_memory.data());
    lists = reinterpret_cast<DeferredLists*>((at + 63) / 64 * 64);
  }
  Memory memory;
  std::vector<std::byte> lists_memory;
  DeferredLists* lists;
  std::vector<std::byte> window;
  std::unique_ptr<DeferredAccesses> deferred;
  std::vector<bool> redone;  ///< Gets are true.
};

class Ranks {
 public:
  explicit Ranks(int count) {
    for (int i = 0; i < count; ++i) ranks_.push_back(std::make_unique<Rank>(memories_, count));
    std::vector<const DeferredLists*> lists;
    for (const auto& each : ranks_) {
      memories_.push_back(&each->memory);
      lists.push_back(each->lists);
    }
    for (int i = 0; i < count; ++i)
      (*this)[i].deferred = std::make_unique<DeferredAccesses>((*this)[i].memory, *(*this)[i].lists, lists, i);
  }
  Rank& operator[](int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int count() const { return static_cast<int>(ranks_.size()); }

  /// All ranks call MPI_Win_fence. Returns the number of fences of the library.
  int fence() {
    for (const auto& each : ranks_) each->redone.clear();
    for (const auto& each : ranks_) each->deferred->show();
    const bool shown = ranks_.front()->deferred->any_shown();
    for (const auto& each : ranks_) EXPECT_EQ(each->deferred->any_shown(), shown);
    if (shown) {
      for (const auto& each : ranks_) each->deferred->serve(each->window.data(), static_cast<Bytes>(each->window.size()));
      for (const auto& each : ranks_)
        each->deferred->collect([&](const Access& access) { each->redone.push_back(access.get); });
    }
    for (const auto& each : ranks_) each->deferred->end();
    return shown ? 3 : 1;
  }

 private:
  std::vector<Memory*> memories_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

const layout::Layout column = layout::vector(16, 1, 4, layout::basic(4));  // 64 bytes in 244
const layout::Layout byte = layout::basic(1);

std::vector<std::byte> bytes_from(int first, int count = 64) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& each : bytes) each = static_cast<std::byte>(first++);
  return bytes;
}

Access put(int rank, Bytes displacement, std::vector<std::byte>& from) {
  const auto bytes = static_cast<Bytes>(from.size());
  return {.rank = rank,
          .displacement = displacement,
          .bytes = bytes,
          .here = {byte, bytes},
          .there = {column, bytes / 64},
          .address = from.data()};
}

Access get(int rank, Bytes displacement, std::vector<std::byte>& to) {
  Access access = put(rank, displacement, to);
  access.get = true;
  return access;
}

std::vector<std::byte> packed(const Rank& rank, Bytes displacement) {
  std::vector<std::byte> out(64);
  layout::pack(column, 1, rank.window.data() + displacement, out.data());
  return out;
}

}  // namespace

TEST(DeferredAccesses, CostOneFenceWhereThereAreNone) {
  Ranks ranks(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ranks.fence(), 1);
}

TEST(DeferredAccesses, OfAPutArriveInTheFence) {
  Ranks ranks(2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::byte> from = bytes_from(epoch);
    ASSERT_TRUE(ranks[0].deferred->defer(put(1, 100, from)));
    std::ranges::fill(from, std::byte{255});  // the data is packed already
    EXPECT_NE(packed(ranks[1], 100), bytes_from(epoch));
    EXPECT_EQ(ranks.fence(), 3);
    EXPECT_EQ(packed(ranks[1], 100), bytes_from(epoch));
    EXPECT_EQ(ranks.fence(), 1);
  }
}

TEST(DeferredAccesses, OfAGetArriveInTheFence) {
  Ranks ranks(2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::vector<std::byte> there = bytes_from(epoch);
    layout::unpack(column, 1, ranks[0].window.data() + 8, there.data());
    std::vector<std::byte> to(64);
    ASSERT_TRUE(ranks[1].deferred->defer(get(0, 8, to)));
    EXPECT_EQ(ranks.fence(), 3);
    EXPECT_EQ(to, there);
    EXPECT_TRUE(ranks[1].redone.empty());
  }
}

TEST(DeferredAccesses, GoToEveryRankInOneEpoch) {
  Ranks ranks(4);
  std::vector<std::vector<std::byte>> got(16, std::vector<std::byte>(64));
  for (int origin = 0; origin < 4; ++origin)
    for (int target = 0; target < 4; ++target) {
      if (origin == target) continue;
      std::vector<std::byte> from = bytes_from(10 * origin + target);
      const std::vector<std::byte> there = bytes_from(100 + 10 * target + origin);
      layout::unpack(column, 1, ranks[target].window.data() + 2048 + 256 * origin, there.data());
      ASSERT_TRUE(ranks[origin].deferred->defer(put(target, 256 * origin, from)));
      ASSERT_TRUE(
          ranks[origin].deferred->defer(get(target, 2048 + 256 * origin, got[static_cast<std::size_t>(4 * origin + target)])));
    }
  EXPECT_EQ(ranks.fence(), 3);
  for (int origin = 0; origin < 4; ++origin)
    for (int target = 0; target < 4; ++target) {
      if (origin == target) continue;
      EXPECT_EQ(packed(ranks[target], 256 * origin), bytes_from(10 * origin + target)) << origin << target;
      EXPECT_EQ(got[static_cast<std::size_t>(4 * origin + target)], bytes_from(100 + 10 * target + origin)) << origin << target;
    }
}

TEST(DeferredAccesses, AreRefusedOutsideOfTheWindow) {
  Ranks ranks(2);
  std::vector<std::byte> from = bytes_from(1);
  const std::vector<std::byte> before = ranks[1].window;
  for (const Bytes wrong : {Bytes{4096 - 243}, Bytes{4096}, Bytes{-1}, Bytes{1} << 62, -(Bytes{1} << 62)}) {
    ASSERT_TRUE(ranks[0].deferred->defer(put(1, wrong, from)));
    EXPECT_EQ(ranks.fence(), 3);
    EXPECT_EQ(ranks[0].redone, std::vector<bool>{false}) << wrong;
  }
  EXPECT_EQ(ranks[1].window, before);
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 4096 - 244, from)));
  EXPECT_EQ(ranks.fence(), 3);
}

TEST(DeferredAccesses, GoToTheLibraryFromTheFirstThatIsRefused) {
  Ranks ranks(2);
  std::vector<std::byte> first = bytes_from(1), second = bytes_from(2), got(64);
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 0, first)));
  ASSERT_TRUE(ranks[0].deferred->defer(get(1, 512, got)));
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 1024, second)));
  ranks[1].memory.room = 0;  // it cannot answer the get
  EXPECT_EQ(ranks.fence(), 3);
  EXPECT_EQ(packed(ranks[1], 0), first);
  EXPECT_EQ(ranks[0].redone, (std::vector<bool>{true, false}));
}

TEST(DeferredAccesses, GoToTheLibraryIfMemoryCannotBeMapped) {
  Ranks ranks(2);
  std::vector<std::byte> from = bytes_from(1), got(64);
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 0, from)));
  ranks[1].memory.refuses = true;
  EXPECT_EQ(ranks.fence(), 3);
  EXPECT_EQ(ranks[0].redone, std::vector<bool>{false});
  ranks[1].memory.refuses = false;
  ranks[0].memory.refuses = true;
  ASSERT_TRUE(ranks[0].deferred->defer(get(1, 0, got)));
  EXPECT_EQ(ranks.fence(), 3);
  EXPECT_EQ(ranks[0].redone, std::vector<bool>{true});
}

TEST(DeferredAccesses, AreNotDeferredWithoutMemory) {
  Ranks ranks(2);
  std::vector<std::byte> from = bytes_from(1);
  ranks[0].memory.room = 0;
  EXPECT_FALSE(ranks[0].deferred->defer(put(1, 0, from)));
  EXPECT_EQ(ranks.fence(), 1);
}

TEST(DeferredAccesses, OfAnEpochHaveALimit) {
  Ranks ranks(2);
  std::vector<std::byte> some(static_cast<std::size_t>(DeferredAccesses::most / 2));
  EXPECT_TRUE(ranks[0].deferred->defer(put(1, 0, some)));
  EXPECT_TRUE(ranks[0].deferred->defer(put(1, 0, some)));
  std::vector<std::byte> more = bytes_from(1);
  EXPECT_FALSE(ranks[0].deferred->defer(put(1, 0, more)));
  EXPECT_TRUE(ranks[0].deferred->defer(get(1, 0, more)));
  ranks[0].deferred->take_back([](const Access&) {});
  EXPECT_TRUE(ranks[0].deferred->defer(put(1, 0, more)));
}

TEST(DeferredAccesses, OfLongLayoutsAreTheLibrarys) {
  Ranks ranks(2);
  std::mt19937 random(1);
  std::vector<Bytes> places(4096);
  Bytes at = 0;
  for (Bytes& each : places) each = at += 8 + 4 * static_cast<Bytes>(random() % 8);
  const layout::Layout list = layout::hindexed_block(1, places, layout::basic(4));
  std::vector<std::byte> from(4 * 4096);
  Access access = put(1, 0, from);
  access.there = {list, 1};
  EXPECT_FALSE(ranks[0].deferred->defer(access));
}

TEST(DeferredAccesses, ThatAreTakenBackAreNotServed) {
  Ranks ranks(2);
  std::vector<std::byte> from = bytes_from(1);
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 0, from)));
  std::vector<Bytes> redone;
  ranks[0].deferred->take_back([&](const Access& access) { redone.push_back(access.displacement); });
  EXPECT_EQ(redone, std::vector<Bytes>{0});
  EXPECT_EQ(ranks.fence(), 1);
}

TEST(DeferredAccesses, MayBeShownTwice) {
  Ranks ranks(2);
  std::vector<std::byte> first = bytes_from(1), second = bytes_from(2);
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 0, first)));
  ranks[0].deferred->show();  // the library's fence fails, and the program calls it again
  ASSERT_TRUE(ranks[0].deferred->defer(put(1, 1024, second)));
  EXPECT_EQ(ranks.fence(), 3);
  EXPECT_EQ(packed(ranks[1], 0), first);
  EXPECT_EQ(packed(ranks[1], 1024), second);
  EXPECT_TRUE(ranks[0].redone.empty());
}

TEST(DeferredAccesses, KeepLittleMemory) {
  Ranks ranks(2);
  std::vector<std::byte> much(8 << 20), got(64);
  for (int epoch = 0; epoch < 3; ++epoch) {
    Access access = put(1, 0, much);  // it leaves the window
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ranks[0].deferred->defer(access));
    ASSERT_TRUE(ranks[0].deferred->defer(get(1, 0, got)));
    EXPECT_EQ(ranks.fence(), 3);
  }
  EXPECT_LE(ranks[0].memory.blocks(), 1U);
  EXPECT_EQ(ranks[1].memory.blocks(), 0U);
}

}  // namespace heddle::engine::deferred_accesses_test
