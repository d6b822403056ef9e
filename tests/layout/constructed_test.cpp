// The results of MPI_Type_get_contents, in both forms, give the same layout as the constructor that
// was called.
#include "layout/constructed.hpp"

#include <gtest/gtest.h>

namespace heddle::layout::constructed_test {
namespace {

using Counts = std::vector<Count>;

/// The numbers of no real MPI library.
constexpr Numerals numerals{.order_c = 100,
                            .order_fortran = 101,
                            .distribute_none = 200,
                            .distribute_block = 201,
                            .distribute_cyclic = 202,
                            .default_argument = -49};
const Layout real = basic(8);
const Layout apart = resized(real, 0, 24);

/// Compares the told layout with the made one. The elements have holes, so counts of elements and
/// of bytes differ.
void expect_made(const Made& made, const Layout& wanted) {
  const Layout told = constructed(made, numerals, apart);
  EXPECT_TRUE(same_bytes(told, wanted)) << describe(told) << "\n" << describe(wanted);
  EXPECT_EQ(told.lower_bound(), wanted.lower_bound());
  EXPECT_EQ(told.extent(), wanted.extent());
}

TEST(Constructed, ArgumentsAreThoseOfTheConstructor) {
  using enum Constructor;
  expect_made({.by = dup}, apart);
  expect_made({.by = contiguous, .numbers = {7}}, layout::contiguous(7, apart));
  expect_made({.by = vector, .numbers = {4, 2, 5}}, layout::vector(4, 2, 5, apart));
  expect_made({.by = hvector, .numbers = {4, 2, 1000}}, layout::hvector(4, 2, 1000, apart));
  expect_made({.by = indexed, .numbers = {2, 3, 1, 0, 9}}, layout::indexed(Counts{3, 1}, Counts{0, 9}, apart));
  expect_made({.by = hindexed, .numbers = {2, 3, 1, 0, 900}}, layout::hindexed(Counts{3, 1}, Counts{0, 900}, apart));
  expect_made({.by = indexed_block, .numbers = {3, 2, 0, 5, 11}}, layout::indexed_block(2, Counts{0, 5, 11}, apart));
  expect_made({.by = hindexed_block, .numbers = {2, 2, 0, 512}}, layout::hindexed_block(2, Counts{0, 512}, apart));
  expect_made({.by = resized, .numbers = {-8, 64}}, layout::resized(apart, -8, 64));
}

TEST(Constructed, RowsOfTheHostAreReadInBothForms) {
  const std::vector<int> integers = {4, 2};
  const std::vector<long> addresses = {1000};
  const Made plain = made(Constructor::hvector, std::span(integers), std::span(addresses), std::span<const long long>{});
  EXPECT_FALSE(plain.large);
  EXPECT_EQ(plain.numbers, (Counts{4, 2, 1000}));
  const std::vector<int> order = {1, 101};
  const std::vector<long long> counts = {6, 2, 3};
  const Made large = made(Constructor::subarray, std::span(order), std::span<const long>{}, std::span(counts));
  EXPECT_TRUE(large.large);
  EXPECT_EQ(large.integers, (Counts{1, 101}));
  EXPECT_EQ(large.numbers, (Counts{6, 2, 3}));
  expect_made(large, subarray(Counts{6}, Counts{2}, Counts{3}, Order::fortran, apart));
}

TEST(Constructed, ASubarrayIsToldInTwoForms) {
  const Layout wanted = subarray(Counts{6, 8}, Counts{2, 3}, Counts{1, 4}, Order::fortran, apart);
  const Counts together = {2, 6, 8, 2, 3, 1, 4, 101};
  expect_made({.by = Constructor::subarray, .integers = together, .numbers = together}, wanted);
  expect_made({.by = Constructor::subarray, .large = true, .integers = {2, 101}, .numbers = {6, 8, 2, 3, 1, 4}}, wanted);
}

TEST(Constructed, ADistributedArrayIsToldInTwoForms) {
  const Layout wanted = darray(6, 4, Counts{12, 10}, std::vector{Distribution::block, Distribution::cyclic},
                               Counts{default_argument, 2}, Counts{2, 3}, Order::c, apart);
  const Counts together = {6, 4, 2, 12, 10, 201, 202, -49, 2, 2, 3, 100};
  expect_made({.by = Constructor::darray, .integers = together, .numbers = together}, wanted);
  expect_made(
      {.by = Constructor::darray, .large = true, .integers = {6, 4, 2, 201, 202, -49, 2, 2, 3, 100}, .numbers = {12, 10}},
      wanted);
}

enum class Basic { none, number, integer };

using Olds = std::vector<Decoded<Basic>>;

Decoded<Basic> made_of(const Olds& olds, const Made& made) {
  std::vector<const Decoded<Basic>*> pointers;
  for (const Decoded<Basic>& old : olds) pointers.push_back(&old);
  return decoded<Basic>(made, numerals, pointers);
}

TEST(Constructed, SignaturesGrowWithTheLayout) {
  const Olds old{{apart, one(Basic::number, 8)}};
  const Decoded<Basic> column = made_of(old, {.by = Constructor::vector, .numbers = {4, 2, 5}});
  EXPECT_EQ(column.layout.size(), 64);
  EXPECT_EQ(column.signature.elements, 8);
  EXPECT_TRUE(column.signature.uniform());
  const Olds nothing{{Layout{}, {}}};
  EXPECT_EQ(made_of(nothing, {.by = Constructor::contiguous, .numbers = {7}}).signature.elements, 0);
  EXPECT_THROW(made_of({}, {.by = Constructor::dup}), CannotDecode) << "of nothing";
  EXPECT_THROW(made_of(old, {}), CannotDecode) << "by nobody knows what";
}

TEST(Constructed, AStructHasTheSignaturesOfItsMembersInTurn) {
  const Olds olds{{real, one(Basic::number, 8)}, {basic(4), one(Basic::integer, 4)}};
  const auto made = [&](Counts numbers) {
    return made_of(olds, {.by = Constructor::structure, .numbers = std::move(numbers)});
  };
  const Decoded<Basic> pair = made({2, 1, 1, 0, 8});
  EXPECT_EQ(pair.layout.size(), 12);
  EXPECT_EQ(pair.signature.first, Basic::number);
  EXPECT_EQ(pair.signature.second, Basic::integer);
  EXPECT_FALSE(pair.signature.mixed);
  EXPECT_TRUE(made({2, 1, 2, 0, 8}).signature.mixed);
  EXPECT_THROW(made({1, 1, 0}), CannotDecode) << "another number of members";
}

TEST(Constructed, AValueAndItsIndexEndWhereTheTypeEnds) {
  const Olds olds{{basic(8), one(Basic::number, 8)}, {basic(4), one(Basic::integer, 4)}};
  const Decoded<Basic> found = made_of(olds, {.by = Constructor::value_index, .numbers = {20}});
  EXPECT_EQ(found.layout.size(), 12);
  EXPECT_EQ(found.layout.true_extent(), 20);
  EXPECT_EQ(found.signature.elements, 2);
}

TEST(Constructed, MembersOfAStruct) {
  const Made made{.numbers = {2, 3, 1, 0, 40}};
  const Members members(made);
  EXPECT_EQ(Counts(members.lengths.begin(), members.lengths.end()), (Counts{3, 1}));
  EXPECT_EQ(Counts(members.displacements.begin(), members.displacements.end()), (Counts{0, 40}));
}

TEST(Constructed, WhatIsToldInPartIsRefused) {
  using enum Constructor;
  EXPECT_THROW(constructed({.by = vector, .numbers = {4, 2}}, numerals, real), CannotDecode);
  EXPECT_THROW(constructed({.by = indexed, .numbers = {2, 3, 1, 0}}, numerals, real), CannotDecode);
  EXPECT_THROW(constructed({.by = indexed, .numbers = {-1}}, numerals, real), CannotDecode);
  EXPECT_THROW(Members(Made{.numbers = {2, 3, 1, 0}}), CannotDecode);
}

TEST(Constructed, WhatMeansNothingIsRefused) {
  using enum Constructor;
  EXPECT_THROW(constructed({.by = unknown}, numerals, real), CannotDecode);
  EXPECT_THROW(constructed({.by = subarray, .large = true, .integers = {1, 7}, .numbers = {6, 2, 1}}, numerals, real),
               CannotDecode);
  EXPECT_THROW(
      constructed({.by = darray, .large = true, .integers = {1, 0, 1, 7, -49, 1, 100}, .numbers = {6}}, numerals, real),
      CannotDecode);
}

}  // namespace
}  // namespace heddle::layout::constructed_test
