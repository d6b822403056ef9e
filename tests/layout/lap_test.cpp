// layout/lap.hpp: which layouts come back to a line, after how many packed bytes.
#include "layout/lap.hpp"

#include <gtest/gtest.h>

namespace heddle::layout {
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
  expect(resized(vector(500, 3, 1000, element), 0, 48), 300, 24000, 24000);
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
}  // namespace heddle::layout
