// A datatype's statistics, taken once, are right for any count.
#include "select/side.hpp"

#include <gtest/gtest.h>

#include "layout/shape.hpp"

namespace heddle::select::side_test {
namespace {

using namespace layout;

const Layout element = contiguous(3, basic(8));

void same_as_shape(const Layout& layout, Count count) {
  const Side side = Statistics(layout).of(count);
  const Shape exact = shape(layout, count);
  EXPECT_EQ(side.blocks, exact.blocks);
  EXPECT_NEAR(side.mean_block, exact.mean_block, 1e-9);
  EXPECT_EQ(side.median_block, exact.median_block);
  EXPECT_EQ(side.largest_block, exact.largest_block);
  // Shape gives an upper bound for a few columns side by side: it counts a line once for
  // each column.
  EXPECT_LE(side.lines, exact.lines * 11 / 10 + 1);
  EXPECT_GE(side.lines, exact.lines / 2);
}

TEST(Statistics, AreThoseOfShapeForAnyCount) {
  const Layout vectors = vector(128, 8, 4096, basic(4));
  const Layout record = structure(std::vector<Count>{1, 2}, std::vector<Bytes>{0, 16}, std::vector<Layout>{basic(4), basic(8)});
  const Layout column = resized(vector(64, 1, 64, element), 0, 24);
  for (const Count count : {1, 2, 3, 64, 1000})
    for (const Layout& layout : {vectors, record, column}) same_as_shape(layout, count);
}

TEST(Statistics, OnePieceStaysOnePiece) {
  const Statistics row(contiguous(1024, basic(8)));
  EXPECT_TRUE(row.of(1).contiguous);
  EXPECT_TRUE(row.of(1000).contiguous);
  EXPECT_EQ(row.of(1000).mean_block, 8192000);
  EXPECT_EQ(row.of(1000).lines, 128000);
  EXPECT_FALSE(Statistics(resized(basic(8), 0, 16)).of(2).contiguous);
  EXPECT_TRUE(Statistics(resized(basic(8), 0, 16)).of(1).contiguous);
}

TEST(Statistics, ColumnsSideBySideAreATranspose) {
  const Layout column = resized(vector(64, 1, 64, element), 0, 24);
  EXPECT_FALSE(Statistics(column).of(1).transposed);
  EXPECT_TRUE(Statistics(column).of(64).transposed);
  EXPECT_TRUE(Statistics(contiguous(64, column)).of(1).transposed);
  EXPECT_FALSE(Statistics(vector(64, 1, 64, element)).of(3).transposed);
  // Neighbouring columns share lines, so there are no more lines than the matrix has.
  EXPECT_LE(Statistics(column).of(64).lines, 64 * 64 * 24 / 64 + 1);
}

TEST(Statistics, NothingAndFarTooMuch) {
  EXPECT_EQ(Statistics(contiguous(0, basic(4))).of(1).blocks, 0);
  const Side huge = Statistics(vector(1024, 1, 2, basic(8))).of(INT64_MAX / 4);
  EXPECT_GT(huge.blocks, 0);
  EXPECT_GT(huge.lines, 0);
}

}  // namespace
}  // namespace heddle::select::side_test
