// Facts and the kernels that they should lead to: both sides of every threshold, and every kernel
// at least once.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "layout/kernel/choose_kernel.hpp"
#include "layout/kernel/kernel_table.hpp"

namespace heddle::layout::kernel::choose_kernel_test {

void PrintTo(Kernel kernel, std::ostream* to) { *to << describe(kernel).name; }

namespace {

constexpr Dim once{1, 0, 0};
constexpr Isa portable = Isa::portable, avx2 = Isa::avx2, avx512 = Isa::avx512;
constexpr bool in_order = false, transposed = true;

struct NestRow {
  const char* what;
  NestFacts facts;
  Kernel kernel;
};

NestFacts packed(Count count, Bytes block, Bytes stride, Isa isa) {
  return {once, {count, block, stride}, block, in_order, isa};
}
NestFacts unpacked(Count count, Bytes block, Bytes stride, Isa isa) {
  return {once, {count, stride, block}, block, in_order, isa};
}
/// The matrix has t × f elements, in rows without holes on both sides.
NestFacts matrix(Count t, Count f, Bytes block, Isa isa) {
  return {{t, block, f * block}, {f, t * block, block}, block, transposed, isa};
}

Kernel of(const NestFacts& facts, const Thresholds& by = {}) {
  return choose_kernel(facts.outer, facts.inner, facts.block, facts.disagree, facts.isa, by).kernel;
}

const NestRow nests[] = {
    {"one piece", {once, once, 100, in_order, avx2}, Kernel::copy},

    {"9 stores in a set that holds 8 lines", unpacked(9, 32, 16384, avx2), Kernel::few_stores},
    {"8 of them", unpacked(8, 32, 16384, avx2), Kernel::single},
    {"9 loads in a set that holds 8 lines", packed(9, 24, 24576, avx2), Kernel::few_loads},
    {"8 of them", packed(8, 24, 24576, avx2), Kernel::single},
    {"no multiple of 4 is stored repeatedly", unpacked(9, 30, 16384, avx2), Kernel::unrolled},
    {"more loads than the second-level cache has lines", packed(16385, 8, 2048, avx2), Kernel::single},
    {"as many", packed(16384, 8, 2048, avx2), Kernel::few_loads},
    {"two lines each, 13 to a set", unpacked(13, 96, 4096, avx2), Kernel::units_twice},
    {"12 to a set", unpacked(12, 96, 4096, avx2), Kernel::vectors},
    {"two whole lines", unpacked(13, 128, 4096, avx2), Kernel::few_stores},
    {"four lines each, 11 to a set", unpacked(11, 256, 8192, avx2), Kernel::units},
    {"10 to a set", unpacked(10, 256, 8192, avx2), Kernel::vectors},
    {"long blocks, each in a page", unpacked(11, 512, 16384, avx2), Kernel::units_double},
    {"fewer of them", unpacked(10, 512, 16384, avx2), Kernel::long_blocks},
    {"too many of them", unpacked(513, 512, 16384, avx512), Kernel::library},

    {"76 bytes, in the caches", packed(100, 76, 108, avx512), Kernel::two_vectors_masked},
    {"from memory", packed(100000, 76, 108, avx512), Kernel::two_vectors},
    {"100 bytes from memory", packed(100000, 100, 108, avx512), Kernel::vectors},
    {"76 bytes with shorter vectors", packed(100, 76, 108, avx2), Kernel::vectors},
    {"512 bytes from pages in memory", packed(1024, 512, 8192, avx2), Kernel::library},
    {"511 bytes", packed(1024, 511, 8192, avx512), Kernel::vectors},
    {"in the caches", packed(512, 512, 8192, avx512), Kernel::vectors},
    {"8 vectors", packed(100, 256, 300, avx2), Kernel::vectors},
    {"more than 8", packed(100, 257, 300, avx2), Kernel::long_blocks},

    {"48 small neighbours", packed(48, 8, 16, avx512), Kernel::windows},
    {"47", packed(47, 8, 16, avx512), Kernel::unrolled},
    {"without byte permutes", packed(48, 8, 16, avx2), Kernel::unrolled},
    {"unpacked", unpacked(48, 8, 12, avx512), Kernel::windows},
    {"from memory", packed(262145, 8, 16, avx512), Kernel::windows_ahead},
    {"4 MiB", packed(262144, 8, 16, avx512), Kernel::windows},
    {"from memory, larger ones", packed(200000, 16, 32, avx512), Kernel::unrolled},

    {"more than 4 MiB of small blocks", packed(65537, 8, 64, avx2), Kernel::ahead},
    {"4 MiB", packed(65536, 8, 64, avx2), Kernel::unrolled},
    {"65536 lines", packed(65536, 8, 640, avx2), Kernel::ahead},
    {"fewer", packed(65535, 8, 640, avx2), Kernel::single},
    {"more than the first-level cache holds", packed(427, 24, 192, avx2), Kernel::single},
    {"no more", packed(426, 24, 192, avx2), Kernel::unrolled},
    {"odd lengths", packed(1000, 5, 192, avx2), Kernel::unrolled},
    {"12 bytes under a mask", packed(100, 12, 200, avx512), Kernel::packed_under_mask},
    {"from memory", packed(30000, 12, 200, avx512), Kernel::packed_under_mask_ahead},
    {"unpacked", unpacked(100, 12, 200, avx512), Kernel::unpacked_under_mask},
    {"into memory", unpacked(30000, 12, 200, avx512), Kernel::unpacked_under_mask_ahead},
    {"40 bytes under a mask where plain moves would be single", packed(300, 40, 320, avx512), Kernel::packed_under_mask},
    {"and where not", packed(100, 40, 320, avx512), Kernel::unrolled},
    {"16 bytes on lines of their own", packed(100, 16, 128, avx512), Kernel::masked},
    {"neither side packed", {once, {100, 64, 200}, 12, in_order, avx512}, Kernel::unrolled},

    {"8 rows", matrix(8, 1000, 8, avx2), Kernel::squares},
    {"7 rows", matrix(7, 1000, 8, avx2), Kernel::thin},
    {"7 columns", matrix(1000, 7, 8, avx2), Kernel::thin},
    {"4 rows of 16 bytes are a line", matrix(4, 1000, 16, avx512), Kernel::squares},
    {"8 MiB", matrix(1024, 1024, 8, avx512), Kernel::streamed},
    {"less", matrix(1016, 1024, 8, avx512), Kernel::squares},
    {"8 MiB with shorter vectors", matrix(1024, 1024, 8, avx2), Kernel::staged},
    {"less", matrix(1016, 1024, 8, avx2), Kernel::squares},
    {"rows that do not begin on lines alike", matrix(1025, 1024, 8, avx512), Kernel::squares},
    {"elements of 24 bytes", matrix(600, 600, 24, avx512), Kernel::staged},
    {"fewer", matrix(100, 100, 24, avx512), Kernel::tiles},
    {"16 bytes without registers for them", matrix(100, 100, 16, portable), Kernel::tiles},
    {"long elements", matrix(100, 100, 100, avx2), Kernel::rows},
};

TEST(ChooseKernel, OfNestsAsTheTableSays) {
  for (const NestRow& row : nests) EXPECT_EQ(of(row.facts), row.kernel) << row.what << " (" << row.facts.block << " bytes)";
}

struct ListRow {
  const char* what;
  ListFacts facts;
  Kernel kernel;
};
constexpr auto pack = Direction::pack, unpack = Direction::unpack;
constexpr Bytes far = 16 << 20;
const ListRow lists[] = {
    {"many, farther than the caches", {1 << 17, 12, far + 1, pack, avx2}, Kernel::listed_ahead},
    {"not farther", {1 << 17, 12, far, pack, avx2}, Kernel::listed},
    {"fewer", {(1 << 17) - 1, 12, far + 1, pack, avx2}, Kernel::listed},
    {"doubles share lines", {1 << 17, 8, far + 1, unpack, avx2}, Kernel::listed},
    {"unpacked", {1 << 17, 12, far + 1, unpack, avx512}, Kernel::listed_ahead},
    {"doubles", {100, 8, 0, pack, avx2}, Kernel::listed_lanes},
    {"floats", {100, 4, 0, pack, avx512}, Kernel::listed_lanes},
    {"doubles without vectors", {100, 8, 0, pack, portable}, Kernel::listed},
    {"doubles unpacked", {100, 8, 0, unpack, avx2}, Kernel::listed},
    {"24 bytes", {100, 24, 0, pack, avx512}, Kernel::listed_under_mask},
    {"24 bytes unpacked", {100, 24, 0, unpack, avx512}, Kernel::listed},
    {"12 bytes unpacked", {100, 12, 0, unpack, avx512}, Kernel::listed_under_mask},
    {"a line", {100, 64, 0, pack, avx512}, Kernel::listed},
    {"more than a line", {100, 65, 0, pack, avx512}, Kernel::listed_long},
};

TEST(ChooseKernel, OfListsAsTheTableSays) {
  for (const ListRow& row : lists) EXPECT_EQ(choose_kernel(row.facts, {}).kernel, row.kernel) << row.what;
}

struct PiecesRow {
  PiecesFacts facts;
  Kernel kernel;
};
const PiecesRow pieces[] = {
    {{16, pack, portable}, Kernel::pieces_16}, {{17, pack, avx2}, Kernel::pieces_32},
    {{32, pack, avx2}, Kernel::pieces_32},     {{33, pack, avx2}, Kernel::pieces_64},
    {{64, pack, avx512}, Kernel::pieces_64},   {{65, pack, avx512}, Kernel::pieces_any},
    {{32, unpack, avx512}, Kernel::pieces_32}, {{33, unpack, avx512}, Kernel::pieces_any},
    {{16, unpack, avx2}, Kernel::pieces_any},
};

TEST(ChooseKernel, OfPiecesByTheLongest) {
  for (const PiecesRow& row : pieces) EXPECT_EQ(choose_kernel(row.facts).kernel, row.kernel) << row.facts.longest;
}

struct RecordRow {
  const char* what;
  RecordFacts facts;
  Kernel kernel;
};
const RecordRow records[] = {
    {"8 of 12 in 16 bytes", {8, 16, false, 12, 16, 1, true, pack, avx512}, Kernel::record_windows},
    {"7 of them", {7, 16, false, 12, 16, 1, true, pack, avx512}, Kernel::record_steps},
    {"4 MiB", {1 << 18, 16, false, 12, 16, 1, true, pack, avx512}, Kernel::record_windows},
    {"more", {(1 << 18) + 1, 16, false, 12, 16, 1, true, pack, avx512}, Kernel::record_windows_ahead},
    {"too far apart for two windows", {100, 120, false, 12, 16, 1, true, pack, avx512}, Kernel::record_steps},
    {"unpacked", {100, 16, false, 12, 16, 1, true, unpack, avx512}, Kernel::record_windows},
    {"unpacked, too far apart for one window", {100, 56, false, 12, 16, 1, true, unpack, avx512}, Kernel::record_steps},
    {"out of two windows", {100, 16, false, 12, 16, 1, false, pack, avx512}, Kernel::record_steps},
    {"without byte permutes", {100, 16, false, 12, 16, 1, true, pack, avx2}, Kernel::record_fields},
    {"listed", {100, 0, true, 12, 16, 1, true, pack, avx512}, Kernel::record_steps},
    {"long ones listed, packed", {100, 0, true, 256, 400, 9, true, pack, avx2}, Kernel::record_fields},
    {"unpacked", {100, 0, true, 256, 400, 9, true, unpack, avx2}, Kernel::record_whole},
    {"shorter ones", {100, 0, true, 255, 400, 9, true, unpack, avx2}, Kernel::record_fields},
};

TEST(ChooseKernel, OfRecordsAsTheTableSays) {
  for (const RecordRow& row : records) EXPECT_EQ(choose_kernel(row.facts, {}).kernel, row.kernel) << row.what;
}

TEST(ChooseKernel, EveryKernelIsReached) {
  std::set<Kernel> reached;
  for (const auto& row : nests) reached.insert(of(row.facts));
  for (const auto& row : lists) reached.insert(choose_kernel(row.facts, {}).kernel);
  for (const auto& row : pieces) reached.insert(choose_kernel(row.facts).kernel);
  for (const auto& row : records) reached.insert(choose_kernel(row.facts, {}).kernel);
  for (std::size_t kernel = 0; kernel < all_kernels; ++kernel)
    EXPECT_TRUE(reached.contains(static_cast<Kernel>(kernel))) << describe(static_cast<Kernel>(kernel)).name;
}

TEST(ChooseKernel, EveryKernelHasANameOfItsOwn) {
  std::set<std::string> names;
  for (std::size_t kernel = 0; kernel < all_kernels; ++kernel) {
    const Description& one = describe(static_cast<Kernel>(kernel));
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_STRNE(one.description, "");
  }
}

TEST(ChooseKernel, EveryReasonIsASentenceWithNumbers) {
  const auto check = [](const std::string& why, const char* what) {
    EXPECT_NE(why.find_first_of("0123456789"), std::string::npos) << what << ": '" << why << "'";
    EXPECT_LT(why.size(), 200u) << what;
  };
  const Thresholds by;
  for (const auto& row : nests) {
    const NestFacts& f = row.facts;
    check(why(f, choose_kernel(f.outer, f.inner, f.block, f.disagree, f.isa, by), by), row.what);
  }
  for (const auto& row : lists) check(why(row.facts, choose_kernel(row.facts, by), by), row.what);
  for (const auto& row : pieces) check(why(row.facts, choose_kernel(row.facts)), "pieces");
  for (const auto& row : records) check(why(row.facts, choose_kernel(row.facts, by), by), row.what);
}

/// Each threshold moves its decision, so no threshold is without effect.
TEST(ChooseKernel, EveryThresholdDecides) {
  const auto decided = [](const Thresholds& by) {
    std::vector<Kernel> found;
    for (const auto& row : nests) found.push_back(of(row.facts, by));
    for (const auto& row : lists) found.push_back(choose_kernel(row.facts, by).kernel);
    for (const auto& row : records) found.push_back(choose_kernel(row.facts, by).kernel);
    found.push_back(in_tiles(255, by) ? Kernel::tiles : Kernel::rows);
    return found;
  };
  const std::vector<Kernel> usual = decided({});
  for (const ThresholdEntry& one : threshold_table) {
    Thresholds low, high;
    low.*one.value = one.least;
    high.*one.value = one.most;
    EXPECT_NE(decided(low), usual) << one.name;
    EXPECT_TRUE(decided(high) != usual || one.value == &Thresholds::tiles_below) << one.name;
  }
  EXPECT_TRUE(in_tiles(255, {}));
  EXPECT_FALSE(in_tiles(256, {}));
}

TEST(ChooseKernel, WhatIsChosenHasCode) {
  std::mt19937_64 random(1);
  const auto pick = [&](std::int64_t low, std::int64_t high) { return std::uniform_int_distribution(low, high)(random); };
  const auto count = [&] { return pick(0, 1) ? pick(2, 70) : (std::int64_t{1} << pick(1, 20)) + pick(-1, 1); };
  const auto check = [](Isa isa, const Table& table, const Dim& outer, const Dim& inner, Bytes block, bool disagree) {
    const Kernel kernel = choose_kernel(outer, inner, block, disagree, isa, {}).kernel;
    ASSERT_NE(table.nests->of[static_cast<std::size_t>(kernel)][block], nullptr)
        << describe(kernel).name << ", " << block << " bytes, " << name(isa);
  };
  for (int i = 0; i < 100000; ++i) {
    const Bytes block = pick(1, 64);
    const auto stride = [&]() -> Bytes {
      switch (pick(0, 4)) {
        case 0:
          return block;
        case 1:
          return 512 * pick(1, 64);
        case 2:
          return pick(-5000, 5000);
        default:
          return block * pick(1, 9);
      }
    };
    const Dim inner{count(), stride(), stride()}, outer = pick(0, 1) ? once : Dim{count(), stride(), stride()};
    const bool disagree = outer.count > 1 && pick(0, 1) == 1;
    check(portable, portable_table, outer, inner, block, disagree);
#if defined(__x86_64__)
    check(avx2, avx2_table, outer, inner, block, disagree);
    check(avx512, avx512_table, outer, inner, block, disagree);
#endif
  }
}

}  // namespace
}  // namespace heddle::layout::kernel::choose_kernel_test
