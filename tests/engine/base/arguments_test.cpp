#include "engine/base/arguments.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::engine::arguments_test {
namespace {

TEST(Arguments, NumbersAreReadAsTheyWereGiven) {
  const int narrow[] = {1, -2};
  const long large[] = {1, std::numeric_limits<long>::min()};
  const long long larger[] = {std::numeric_limits<long long>::max()};
  EXPECT_EQ(Numbers(narrow)[1], -2);
  EXPECT_EQ(Numbers(large)[1], std::numeric_limits<long>::min());
  EXPECT_EQ(Numbers(larger)[0], std::numeric_limits<long long>::max());
  EXPECT_EQ(Numbers().array(), nullptr);
}

TEST(Arguments, WhatIsHandedBecomesIntsWhereTheyFit) {
  layout::Count values[] = {3, -7, INT_MAX, INT_MIN};
  Handed handed(values, 4);
  ASSERT_TRUE(handed.fit());
  handed.narrow();
  const int* ints = handed;
  EXPECT_EQ(ints[0], 3);
  EXPECT_EQ(ints[1], -7);
  EXPECT_EQ(ints[2], INT_MAX);
  EXPECT_EQ(ints[3], INT_MIN);
}

TEST(Arguments, WhatDoesNotFitStaysLarge) {
  layout::Count values[] = {3, layout::Count{INT_MAX} + 1};
  const Handed handed(values, 2);
  EXPECT_FALSE(handed.fit());
  EXPECT_EQ(static_cast<const long*>(handed)[1], layout::Count{INT_MAX} + 1);
}

TEST(Arguments, AreWholeWithAllTheirArrays) {
  const int numbers[] = {0};
  EXPECT_TRUE(whole(Buffer<int>{}));
  EXPECT_TRUE(whole(VArgument<int>{nullptr, numbers, numbers, 1}));
  EXPECT_FALSE(whole(VArgument<int>{nullptr, {}, numbers, 1}));
  EXPECT_FALSE(whole(WArgument<int>{nullptr, numbers, numbers, nullptr}));
}

}  // namespace
}  // namespace heddle::engine::arguments_test
