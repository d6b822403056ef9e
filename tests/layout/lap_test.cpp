// layout/lap.hpp: the layouts that come back to a cache line, and the packed bytes until then.
#include "layout/lap.hpp"

#include <gtest/gtest.h>

namespace heddle::layout::lap_test {
namespace {

const Layout element = basic(16);

void expect(const Layout& layout, Count count, Bytes bytes, Bytes whole) {
  const Lap got = lap(layout, count);
  EXPECT_EQ(got.bytes, bytes) << describe(layout) << " x " << count;
  EXPECT_EQ(got.whole, whole) << describe(layout) << " x " << count;
}

// 1000 columns of 500 rows: a line holds an element of four columns.
TEST(Lap, OfATransposeHoweverItIsWritten) {
  const Layout column = resized(vector(500, 1, 1000, element), 0, 16);
  expect(column, 1000, 8000, 32000);
  expect(contiguous(1000, column), 1, 8000, 32000);
  expect(column, 3, 8000, 24000);
  expect(contiguous(2, resized(contiguous(1000, column), 0, 1 << 20)), 2, 8000, 32000);
  expect(resized(vector(500, 1, -1000, element), 0, -16), 1000, 8000, 32000);
}

TEST(Lap, OfBlocksShorterThanALine) {
  const Layout pairs = resized(vector(500, 2, 1000, element), 0, 32);
  expect(pairs, 500, 16000, 32000);
}

// Elements of 24 bytes begin in three lines before an element begins at a line's start again.
TEST(Lap, UntilNoLineIsHalfDone) {
  expect(resized(vector(500, 3, 1000, element), 0, 48), 300, 24000, 96000);
  const Layout three = basic(24);
  expect(resized(vector(512, 1, 512, three), 0, 24), 512, 12288, 8 * 12288);
  expect(resized(vector(512, 1, 512, three), 0, 24), 5, 12288, 5 * 12288);
}

TEST(Portion, IsOfWholeLinesInWholeSegments) {
  const Bytes mib = 1 << 20, segment = 32 << 10, most = 256 << 10;
  EXPECT_EQ(portion({12288, 8 * 12288}, 6 * mib, segment, most), 16 * 12288);
  EXPECT_EQ(portion({24576, 8 * 24576}, 24 * mib, segment, most), 8 * 24576);
  EXPECT_EQ(portion({6144, 8 * 6144}, 3 * mib / 2, segment, most), 16 * 6144);
  EXPECT_EQ(portion({12000, 8 * 12000}, 6 * mib, segment, most), 5 * segment);
  // Not even one lap fits. The portion takes the room that there is.
  EXPECT_EQ(portion({100'000, 400'000}, 40 * mib, segment, most), 6 * segment);
}

TEST(Portion, NoneWhereASegmentIsAsGood) {
  const Bytes mib = 1 << 20, segment = 32 << 10, most = 256 << 10;
  EXPECT_EQ(portion({}, mib, segment, most), 0);
  EXPECT_EQ(portion({1536, 8 * 1536}, mib, segment, most), 0);         // a segment finishes its lines
  EXPECT_EQ(portion({200'000, 800'000}, 80 * mib, segment, most), 0);  // the portion would not touch a line twice
}

TEST(Lap, NoneWhereEachLineIsMetOnce) {
  expect(element, 1000, 0, 0);
  expect(vector(500, 1, 1000, element), 1, 0, 0);
  expect(resized(vector(500, 4, 1000, element), 0, 64), 250, 0, 0);
  expect(resized(basic(8), 0, 16), 1000, 0, 0);
  expect(resized(vector(500, 1, 1000, element), 0, 0), 10, 0, 0);
  expect(contiguous(0, element), 5, 0, 0);
  expect(resized(vector(500, 1, 1000, element), 0, 16), 1, 0, 0);
}

}  // namespace
}  // namespace heddle::layout::lap_test
