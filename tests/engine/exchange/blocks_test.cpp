// Types are numbers here. Type n has n bytes, and its extent is 2n. Numbers up to 0 are refused.
#include "engine/exchange/blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

namespace heddle::engine::blocks_test {
namespace {

int looks = 0;

bool look(int type, Measures& found) noexcept {
  ++looks;
  found = {type, 2 * type};
  return type > 0;
}
using Measure = Ruler<int, look>;
using Data = Buffer<int>;
using V = VArgument<int>;
using W = WArgument<int>;

const std::byte memory[4096]{};

std::ptrdiff_t place_of(const Data& data) { return static_cast<const std::byte*>(data.address) - memory; }

TEST(Blocks, AreMeasuredOnceForARowOfOneType) {
  Measure ruler;
  Measures found;
  looks = 0;
  EXPECT_TRUE(ruler.measure(8, found));
  EXPECT_TRUE(ruler.measure(8, found));
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(ruler.measure(-1, found));
  EXPECT_FALSE(ruler.measure(-1, found));  // a refused type is asked about again
  EXPECT_EQ(looks, 3);
  EXPECT_TRUE(ruler.measure(8, found));
  EXPECT_EQ(found.extent, 16);
}

TEST(Blocks, LieOneAfterTheOtherWhereAllAreAlike) {
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 0;
  ASSERT_TRUE(block_of(Data{memory, 3, 8}, 2, ruler, data, bytes));
  EXPECT_EQ(place_of(data), 2 * 3 * 16);
  EXPECT_EQ(bytes, 24);
}

TEST(Blocks, OfNoElementsHaveNoTypeToLookAt) {
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 1;
  const int counts[] = {0};
  const int types[] = {-1};
  EXPECT_TRUE(block_of(Data{memory, 0, -1}, 0, ruler, data, bytes));
  EXPECT_EQ(bytes, 0);
  EXPECT_TRUE(block_of(V{memory, counts, counts, -1}, 0, ruler, data, bytes));
  EXPECT_TRUE(block_of(W{memory, counts, counts, types}, 0, ruler, data, bytes));
  EXPECT_EQ(bytes, 0);
}

TEST(Blocks, OfNumbersThatNoBufferHasAreRefused) {
  constexpr layout::Count large[] = {std::numeric_limits<layout::Count>::max() / 4};
  const int counts[] = {-1};
  const int places[] = {0};
  const int one[] = {1};
  const int types[] = {8};
  const int unknown[] = {-1};
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 0;
  EXPECT_FALSE(block_of(Data{memory, -1, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(Data{memory, 1, -1}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(Data{memory, large[0], 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(V{memory, counts, places, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(V{memory, large, places, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(V{memory, one, large, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(W{memory, counts, places, types}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(W{memory, one, places, unknown}, 0, ruler, data, bytes));
}

TEST(Blocks, NamePlacesInExtentsOrOfTheWProceduresInBytes) {
  const int counts[] = {1, 2};
  const long places[] = {5, 7};
  const int types[] = {4, 8};
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 0;
  ASSERT_TRUE(block_of(V{memory, counts, places, 4}, 1, ruler, data, bytes));
  EXPECT_EQ(place_of(data), 7 * 8);
  EXPECT_EQ(data.count, 2);
  EXPECT_EQ(bytes, 8);
  ASSERT_TRUE(block_of(W{memory, counts, places, types}, 1, ruler, data, bytes));
  EXPECT_EQ(place_of(data), 7);
  EXPECT_EQ(data.count, 2);
  EXPECT_EQ(bytes, 16);
}

TEST(Blocks, AddUpUnlessTheyAreBeyondNumbers) {
  const int counts[] = {1, 0, 3};
  constexpr layout::Count half = std::numeric_limits<layout::Count>::max() / 8;
  const layout::Count large[] = {half, half, half};
  layout::Bytes all = 1;
  EXPECT_TRUE((bytes_of_all<Measure>(V{memory, counts, counts, 4}, 3, all)));
  EXPECT_EQ(all, 16);
  EXPECT_FALSE((bytes_of_all<Measure>(V{memory, large, counts, 4}, 3, all)));
}

}  // namespace
}  // namespace heddle::engine::blocks_test
