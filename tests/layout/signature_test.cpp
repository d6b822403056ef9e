#include "layout/signature.hpp"

#include <gtest/gtest.h>

namespace heddle::layout::signature_test {
namespace {

// Basic types.
constexpr char number = 'd', index = 'i';

const Signature<char> a_number = one(number, 8);
const Signature<char> an_index = one(index, 4);
const Signature<char> pair = then(a_number, an_index);

TEST(Signature, OfOneTypeIsUniform) {
  const Signature<char> row = repeated(a_number, 100);
  EXPECT_TRUE(row.uniform());
  EXPECT_EQ(row.elements, 100);
  EXPECT_EQ(row.largest, 8);
  EXPECT_TRUE(then(row, repeated(a_number, 3)).uniform());
}

TEST(Signature, OfNothingIsNotUniform) {
  EXPECT_FALSE(Signature<char>{}.uniform());
  EXPECT_EQ(repeated(pair, 0).elements, 0);
  EXPECT_TRUE(then(Signature<char>{}, a_number).uniform());
  EXPECT_TRUE(then(a_number, Signature<char>{}).uniform());
}

TEST(Signature, PairsAlternate) {
  const Signature<char> pairs = then(repeated(pair, 10), pair);
  EXPECT_FALSE(pairs.mixed);
  EXPECT_FALSE(pairs.uniform());
  EXPECT_EQ(pairs.elements, 22);
  EXPECT_EQ(pairs.first, number);
  EXPECT_EQ(pairs.second, index);
  EXPECT_FALSE(then(pairs, a_number).mixed);  // d i ... d i d
}

TEST(Signature, WhatDoesNotAlternateIsMixed) {
  EXPECT_TRUE(then(pair, an_index).mixed);                  // d i i
  EXPECT_TRUE(then(pair, then(an_index, a_number)).mixed);  // d i i d
  EXPECT_TRUE(repeated(then(pair, a_number), 2).mixed);     // d i d d i d
  EXPECT_FALSE(repeated(then(pair, a_number), 1).mixed);    // d i d
  EXPECT_TRUE(then(then(pair, an_index), a_number).mixed);  // whatever follows
  EXPECT_EQ(then(then(pair, an_index), a_number).elements, 4);
  EXPECT_EQ(then(then(pair, an_index), a_number).largest, 8);
}

TEST(Signature, BeyondSixtyFourBitsOverflows) {
  const Signature<char> many = repeated(a_number, Count{1} << 62);
  EXPECT_THROW(repeated(many, 2), std::overflow_error);
  EXPECT_THROW(then(many, many), std::overflow_error);
}

}  // namespace
}  // namespace heddle::layout::signature_test
