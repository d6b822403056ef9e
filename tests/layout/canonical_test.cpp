// Every claim of docs/layout.md about canonical forms, one test each.
#include <gtest/gtest.h>

#include <array>

#include "layout/layout.hpp"

namespace heddle::layout::canonical_test {
namespace {

using Counts = std::vector<Count>;
const Layout byte = basic(1);
const Layout integer = basic(4);
const Layout real = basic(8);
const Layout complex = basic(16, 8);

/// Displacements of an x × y × z box at the corner of an n × n × n array, in C order, element by
/// element.
Counts box(Count n, Count x, Count y, Count z) {
  Counts at;
  for (Count i = 0; i < x; ++i)
    for (Count j = 0; j < y; ++j)
      for (Count k = 0; k < z; ++k) at.push_back((i * n + j) * n + k);
  return at;
}

void expect_same(const Layout& a, const Layout& b) { EXPECT_TRUE(same_bytes(a, b)) << describe(a) << "\n" << describe(b); }

TEST(Canonical, ContiguousIsOneBlock) {
  EXPECT_EQ(describe(contiguous(10, real)), "block 80");
  EXPECT_EQ(describe(contiguous(2, contiguous(5, real))), "block 80");
  EXPECT_EQ(describe(vector(5, 2, 2, real)), "block 80");
  EXPECT_TRUE(contiguous(10, real).dense());
}

TEST(Canonical, NothingIsNothing) {
  EXPECT_EQ(describe(contiguous(0, real)), "nothing");
  EXPECT_EQ(describe(vector(4, 0, 3, real)), "nothing");
  EXPECT_EQ(describe(indexed(Counts{0, 0}, Counts{3, 9}, real)), "nothing");
  EXPECT_EQ(describe(contiguous(3, contiguous(0, real))), "nothing");
}

TEST(Canonical, VectorHvectorSubarrayAndResizedContiguousOfTheSameBox) {
  const Layout box = vector(4, 2, 5, real);
  expect_same(box, hvector(4, 2, 40, real));
  expect_same(box, subarray(Counts{4, 5}, Counts{4, 2}, Counts{0, 0}, Order::c, real));
  expect_same(box, subarray(Counts{5, 4}, Counts{2, 4}, Counts{0, 0}, Order::fortran, real));
  expect_same(box, contiguous(4, resized(contiguous(2, real), 0, 40)));
  expect_same(box, hindexed(Counts{2, 2, 2, 2}, Counts{0, 40, 80, 120}, real));
  expect_same(box, indexed_block(2, Counts{0, 5, 10, 15}, real));
}

TEST(Canonical, DarrayPieceEqualsSubarray) {
  using enum Distribution;
  const Counts sizes{8, 6}, grid{2, 3};
  const std::array<Distribution, 2> blocks{block, block};
  const Counts defaults{default_argument, default_argument};
  // Rank 4 of the 2 × 3 grid is at (1, 1).
  expect_same(darray(6, 4, sizes, blocks, defaults, grid, Order::c, real),
              subarray(sizes, Counts{4, 2}, Counts{4, 2}, Order::c, real));
}

TEST(Canonical, CyclicDarrayOfOneElementIsAVector) {
  const std::array<Distribution, 1> cyclic{Distribution::cyclic};
  const Counts one{1};
  expect_same(darray(3, 0, Counts{12}, cyclic, one, Counts{3}, Order::c, real), vector(4, 1, 3, real));
}

TEST(Canonical, IndexListThatIsAStrideBecomesALoop) {
  EXPECT_EQ(describe(indexed_block(1, Counts{3, 6, 9, 12}, real)), "@24 loop 4 × 24 B { block 8 }");
  expect_same(indexed_block(1, Counts{0, -2, -4}, real), vector(3, 1, -2, real));
}

TEST(Canonical, IndexListsOfBoxesBecomeLoops) {
  expect_same(indexed_block(1, box(10, 1, 4, 3), real), subarray(Counts{10, 10}, Counts{4, 3}, Counts{0, 0}, Order::c, real));
  expect_same(indexed_block(1, box(10, 4, 3, 2), real),
              subarray(Counts{10, 10, 10}, Counts{4, 3, 2}, Counts{0, 0, 0}, Order::c, real));
  // A plane with unit inner count.
  expect_same(indexed_block(1, box(10, 10, 10, 1), real),
              subarray(Counts{10, 10, 10}, Counts{10, 10, 1}, Counts{0, 0, 0}, Order::c, real));
}

TEST(Canonical, NeighboursMerge) {
  EXPECT_EQ(describe(indexed(Counts{2, 3, 1}, Counts{0, 2, 5}, real)), "block 48");
  EXPECT_EQ(describe(structure(Counts{1, 1}, Counts{0, 4}, std::array{integer, integer})), "block 8");
  EXPECT_EQ(describe(indexed(Counts{1, 1, 1}, Counts{0, 1, 7}, real)), "pieces at [0, 56] of [16, 8]");
}

TEST(Canonical, RepeatingPatternBecomesALoop) {
  const Layout pair = structure(Counts{1, 1}, Counts{0, 16}, std::array{real, integer});
  expect_same(contiguous(5, resized(pair, 0, 32)),
              hindexed(Counts{8, 4, 8, 4, 8, 4, 8, 4, 8, 4}, Counts{0, 16, 32, 48, 64, 80, 96, 112, 128, 144}, byte));
  EXPECT_EQ(describe(indexed_block(1, Counts{0, 1, 5, 8, 9, 13, 16, 17, 21}, resized(integer, 0, 8))),
            "loop 3 × 64 B { at [0, 8, 40] { block 4 } }");
}

TEST(Canonical, NestsWithMatchingStridesFuse) {
  EXPECT_EQ(describe(contiguous(3, resized(vector(4, 1, 2, real), 0, 64))), "loop 12 × 16 B { block 8 }");
}

TEST(Canonical, CommonChildrenAreHoisted) {
  const Layout row = vector(3, 1, 2, real);
  EXPECT_EQ(describe(structure(Counts{1, 1, 1}, Counts{0, 100, 200}, std::array{row, row, row})),
            "loop 3 × 100 B { loop 3 × 16 B { block 8 } }");
  EXPECT_EQ(describe(structure(Counts{1, 1, 1}, Counts{0, 100, 300}, std::array{row, row, row})),
            "at [0, 100, 300] { loop 3 × 16 B { block 8 } }");
}

TEST(Canonical, NestedStructsAreInlined) {
  const Layout long_row = vector(30, 1, 2, real);
  const Layout inner = structure(Counts{1, 1}, Counts{0, 8}, std::array{integer, long_row});
  const Layout nested = structure(Counts{1, 1}, Counts{0, 1000}, std::array{inner, integer});
  expect_same(nested, structure(Counts{1, 1, 1}, Counts{0, 8, 1000}, std::array{integer, long_row, integer}));
}

TEST(Canonical, LoopThatGoesOnIsOneLoop) {
  const Layout five = vector(5, 1, 2, real);
  expect_same(structure(Counts{1, 1}, Counts{0, 80}, std::array{five, five}), vector(10, 1, 2, real));
  expect_same(structure(Counts{1, 1}, Counts{0, 80}, std::array{five, real}), vector(6, 1, 2, real));
  expect_same(structure(Counts{1, 1}, Counts{0, 16}, std::array{real, five}), vector(6, 1, 2, real));
}

TEST(Canonical, WhatJoinsIsJoinedFurther) {
  // Single rows join to a loop. That loop then continues a loop before it.
  const Layout rows = vector(3, 1, -3, byte);
  const Layout list = indexed(Counts{1, 1, 3}, Counts{0, 1, 2}, rows);
  Counts written;
  for (Count i = 0; i < 5; ++i)
    for (Count k = 0; k < 3; ++k) written.push_back(i * rows.extent() - 3 * k);
  expect_same(list, indexed_block(1, written, byte));
}

TEST(Canonical, PackedOrderIsKept) {
  EXPECT_FALSE(same_bytes(indexed_block(1, Counts{1, 0}, real), contiguous(2, real)));
  EXPECT_EQ(describe(vector(3, 1, -1, real)), "loop 3 × -8 B { block 8 }");
}

/// Each level holds the one below twice, with other data between them. The type has 2^depth blocks
/// in as many nodes as levels.
Layout shared_twice_at_each_of(int levels) {
  Layout level = indexed(Counts{1, 2, 1}, Counts{0, 3, 9}, integer);
  for (int i = 0; i < levels; ++i) {
    const std::array<Layout, 3> children{level, vector(3, 1, 3, byte), level};
    const Bytes half = level.extent() + 5;
    level = structure(Counts{1, 1, 1}, Counts{0, half, half + 16}, children);
  }
  return level;
}

// Walking both at full length would take centuries.
TEST(Canonical, DeeplySharedProgramsInDifferentObjectsAreComparedNodeByNode) {
  const Layout program = shared_twice_at_each_of(50);
  EXPECT_TRUE(same_bytes(program, shared_twice_at_each_of(50)));
  EXPECT_FALSE(same_bytes(program, resized(shared_twice_at_each_of(49), 0, program.extent())));
}

// The column of an 8 × 8 matrix of three doubles: Balaji et al. 2007, figures 4 to 6.
TEST(Papers, ColumnOfAMatrixOfThreeDoubles) {
  EXPECT_EQ(describe(vector(8, 1, 8, contiguous(3, real))), "loop 8 × 192 B { block 24 }");
}

// 128 rows × x columns of a 4096-wide int matrix: Wu, Wyckoff, Panda 2004, figure 2.
TEST(Papers, ColumnBlockOfAnIntMatrix) {
  EXPECT_EQ(describe(vector(128, 8, 4096, integer)), "loop 128 × 16384 B { block 32 }");
  EXPECT_EQ(describe(vector(128, 4096, 4096, integer)), "block 2097152");
}

// The transpose by datatypes: Hoefler and Gottlieb 2010.
TEST(Papers, TransposeIsTwoLoops) {
  const Layout column = resized(vector(64, 1, 64, complex), 0, 16);
  EXPECT_EQ(describe(contiguous(64, column)), "loop 64 × 16 B { loop 64 × 1024 B { block 16 } }");
}

TEST(Bounds, FollowTheStandard) {
  const Layout v = vector(3, 2, 4, real);
  EXPECT_EQ(v.extent(), 80);
  EXPECT_EQ(vector(3, 1, -2, real).lower_bound(), -32);
  const Layout padded = structure(Counts{1, 1}, Counts{0, 8}, std::array{real, byte});
  EXPECT_EQ(padded.extent(), 16);
  EXPECT_EQ(padded.size(), 9);
  const Layout far = hindexed_block(1, Counts{Bytes{5} << 31}, real);
  EXPECT_EQ(far.true_lower_bound(), Bytes{5} << 31);
  EXPECT_EQ(far.extent(), 8);
}

TEST(Bounds, NonsenseIsRefused) {
  EXPECT_THROW(contiguous(-1, real), std::invalid_argument);
  EXPECT_THROW(subarray(Counts{4}, Counts{3}, Counts{2}, Order::c, real), std::invalid_argument);
  EXPECT_THROW(contiguous(INT64_MAX, real), std::overflow_error);
  EXPECT_THROW(hindexed(Counts{1}, Counts{INT64_MAX}, real), std::overflow_error);
}

/// So every walk over a program may call itself, even on the smallest of stacks.
TEST(Canonical, ProgramsHaveFewLevels) {
  Layout deep = basic(1);
  for (int level = 1; level < max_depth; ++level) deep = resized(vector(2, 1, 2, deep), 0, 3 * deep.extent());
  EXPECT_EQ(deep.node()->depth, max_depth);
  EXPECT_EQ(contiguous(1, resized(deep, 0, 7)).node()->depth, max_depth) << "one element takes no level";
  EXPECT_THROW(vector(2, 1, 2, deep), std::overflow_error);
  const std::vector<Count> lengths{1, 1, 1}, places{0, 5 * deep.extent(), 11 * deep.extent()};
  EXPECT_THROW(hindexed(lengths, places, deep), std::overflow_error);
}

}  // namespace
}  // namespace heddle::layout::canonical_test
