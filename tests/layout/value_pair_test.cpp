#include "layout/value_pair.hpp"

#include <gtest/gtest.h>

namespace heddle::layout::value_pair_test {
namespace {

enum class Basic { none, both, value, index };

template <class Value>
Pair<Basic> of() {
  return pair_in_c<Value>(Basic::both, Basic::value, Basic::index);
}

TEST(Pair, OfAShortHasItsHoleBetween) {
  const Layout pair = of<short>().layout();
  EXPECT_EQ(pair.size(), 6);
  EXPECT_EQ(pair.extent(), 8);
  EXPECT_EQ(pair.true_extent(), 8);
  EXPECT_FALSE(pair.dense());
}

TEST(Pair, OfADoubleHasItsHoleBehind) {
  const Layout pair = of<double>().layout();
  EXPECT_EQ(pair.size(), 12);
  EXPECT_EQ(pair.extent(), 16);
  EXPECT_EQ(pair.true_extent(), 12);
  EXPECT_FALSE(pair.dense());
}

TEST(Pair, OfAFloatHasNone) { EXPECT_TRUE(of<float>().layout().dense()); }

TEST(Pair, ItsSignatureIsAValueThenAnIndex) {
  const Signature<Basic> two = of<double>().signature();
  EXPECT_EQ(two.first, Basic::value);
  EXPECT_EQ(two.second, Basic::index);
  EXPECT_EQ(two.elements, 2);
  EXPECT_EQ(two.largest, 8);
  EXPECT_FALSE(two.uniform());
}

TEST(Pair, AnIndexMayFollowAnyValue) {
  const Layout found = value_and_index(basic(16), basic(8), 24);
  EXPECT_EQ(found.size(), 24);
  EXPECT_EQ(found.true_extent(), 32);
}

}  // namespace
}  // namespace heddle::layout::value_pair_test
