// The standard's rules for groups, edge cases included, and the examples of Chaarawi and Gabriel
// 2008.
#include "group/operations.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "group/compose.hpp"

namespace heddle::group {
namespace {

using Ranks = std::vector<Rank>;

Ranks members(const Group& group) {
  Ranks all;
  group.each([&](Rank rank) { all.push_back(rank); });
  return all;
}

Group of(const Ranks& ranks) {
  Encoder encoder;
  for (const Rank rank : ranks) encoder.add(rank);
  return encoder.finish();
}

Group range_incl(const Group& group, const Range& range) { return range_incl(group, std::span(&range, 1)); }
Group range_excl(const Group& group, const Range& range) { return range_excl(group, std::span(&range, 1)); }

TEST(Empty, IsAGroupLikeOthers) {
  const Group empty, world = Group::world(5);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.rank_of(0), undefined);
  EXPECT_EQ(compare(empty, incl(world, {})), Comparison::identical);
  EXPECT_EQ(compare(empty, excl(world, Ranks{4, 2, 0, 1, 3})), Comparison::identical);
  EXPECT_EQ(compare(excl(world, {}), world), Comparison::identical);
  EXPECT_EQ(compare(union_of(empty, world), world), Comparison::identical);
  EXPECT_TRUE(intersection(empty, world).empty() && difference(empty, world).empty() && merge(empty, empty).empty());
  EXPECT_TRUE(range_incl(empty, std::span<const Range>{}).empty());
  EXPECT_EQ(compare(empty, world), Comparison::unequal);
}

TEST(Incl, RefusesWhatIsNotThereAndWhatIsThereTwice) {
  const Group world = Group::world(5);
  EXPECT_THROW(incl(world, Ranks{1, 5}), std::invalid_argument);
  EXPECT_THROW(incl(world, Ranks{-1}), std::invalid_argument);
  for (const Ranks& twice : {Ranks{1, 2, 1}, Ranks{3, 3}, Ranks{0, 2, 4, 3, 1, 0}, Ranks{4, 3, 2, 1, 0, 2}}) {
    EXPECT_THROW(incl(world, twice), std::invalid_argument);
    EXPECT_THROW(excl(world, twice), std::invalid_argument);
  }
  EXPECT_EQ(members(incl(world, Ranks{4, 0, 2})), (Ranks{4, 0, 2}));
}

TEST(RangeIncl, FollowsTheStandardsExamples) {
  // MPI-5.0 §7.3.2: of ten members, the triplets (6, 7, 1), (1, 6, 2), (0, 9, 4) select 6 7, 1 3 5
  // and 0 4 8. The triplet (1, 5, 2) below selects the same as (1, 6, 2).
  const Group world = Group::world(10);
  EXPECT_EQ(members(range_incl(world, std::vector<Range>{{6, 7, 1}, {1, 5, 2}, {0, 9, 4}})), (Ranks{6, 7, 1, 3, 5, 0, 4, 8}));
  const int triplets[][3] = {{6, 7, 1}, {1, 5, 2}, {0, 9, 4}};
  EXPECT_EQ(members(range_incl(world, ranges_of(3, triplets))), (Ranks{6, 7, 1, 3, 5, 0, 4, 8}));
  EXPECT_TRUE(ranges_of(0, nullptr).empty());
  EXPECT_EQ(members(range_incl(world, {8, 1, -3})), (Ranks{8, 5, 2}));
  EXPECT_EQ(members(range_incl(world, {3, 3, 1})), (Ranks{3}));
  EXPECT_EQ(members(range_incl(world, {3, 3, -7})), (Ranks{3}));
  EXPECT_EQ(members(range_excl(world, {8, 1, -3})), (Ranks{0, 1, 3, 4, 6, 7, 9}));
  EXPECT_EQ(members(range_excl(world, std::vector<Range>{{0, 8, 4}, {2, 6, 4}})), (Ranks{1, 3, 5, 7, 9}));
}

TEST(RangeIncl, RefusesNonsense) {
  const Group world = Group::world(10);
  EXPECT_THROW(range_incl(world, {0, 5, 0}), std::invalid_argument);
  EXPECT_THROW(range_incl(world, {0, 5, -1}), std::invalid_argument);
  EXPECT_THROW(range_incl(world, {5, 0, 1}), std::invalid_argument);
  EXPECT_THROW(range_incl(world, {0, 10, 1}), std::invalid_argument);
  EXPECT_THROW(range_incl(world, {-2, 5, 1}), std::invalid_argument);
  EXPECT_THROW(range_incl(world, std::vector<Range>{{0, 5, 1}, {5, 9, 1}}), std::invalid_argument);
  EXPECT_THROW(range_incl(world, std::vector<Range>{{0, 9, 3}, {1, 9, 2}}), std::invalid_argument);
  EXPECT_EQ(members(range_incl(world, {0, 10, 4})), (Ranks{0, 4, 8})) << "the last rank counts, not the end";
}

TEST(Front, IsTheFirstMembersInTheirOrder) {
  const Group odd = range_incl(Group::world(100), {1, 99, 2});
  const Group first = front(odd, 3);
  ASSERT_EQ(first.size(), 3);
  EXPECT_EQ(first.world_rank(0), 1);
  EXPECT_EQ(first.world_rank(2), 5);
  EXPECT_EQ(compare(front(odd, odd.size()), odd), Comparison::identical);
  EXPECT_THROW(front(odd, odd.size() + 1), std::invalid_argument);
}

TEST(Sets, KeepTheOrderOfTheFirst) {
  const Group a = of({5, 1, 3}), b = of({3, 4, 5});
  EXPECT_EQ(members(union_of(a, b)), (Ranks{5, 1, 3, 4}));
  EXPECT_EQ(members(intersection(a, b)), (Ranks{5, 3}));
  EXPECT_EQ(members(difference(a, b)), (Ranks{1}));
  EXPECT_EQ(compare(a, of({3, 5, 1})), Comparison::similar);
  EXPECT_EQ(compare(a, of({3, 5, 2})), Comparison::unequal);
  EXPECT_EQ(compare(a, of({5, 1, 3})), Comparison::identical);
}

TEST(Translate, StrangersAreUndefined) {
  const Group world = Group::world(12), odd = range_incl(world, {1, 11, 2});
  Ranks out(3);
  translate(world, Ranks{0, 1, 11}, odd, out);
  EXPECT_EQ(out, (Ranks{undefined, 0, 5}));
  EXPECT_THROW(translate(odd, 6, world), std::invalid_argument);
}

// Chaarawi and Gabriel 2008, §3.2: HPL on 300 × 300 processes has a duplicate of MPI_COMM_WORLD,
// its row and its column. They take 58 bytes instead of 724,800.
TEST(Seed, HplsThreeCommunicatorsTakeLessThan58Bytes) {
  const Group dup = Group::world(90'000);
  for (const Rank me : {0, 299, 45'123, 89'999}) {
    const Group row = range_incl(dup, {me / 300 * 300, me / 300 * 300 + 299, 1});
    const Group column = range_incl(dup, {me % 300, me % 300 + 89'700, 300});
    EXPECT_EQ(row.size() + column.size(), 600);
    EXPECT_EQ(row.world_rank(me % 300), me);
    EXPECT_EQ(column.world_rank(me / 300), me);
    EXPECT_LE(dup.bytes() + row.bytes() + column.bytes(), 58u);
    for (const Group& group : {dup, row, column}) EXPECT_LE(group.footprint(), 128u);
    EXPECT_EQ(compare(row, cart_sub(dup, Ranks{300, 300}, {{false, true}}, Ranks{me / 300, me % 300})), Comparison::identical);
    EXPECT_EQ(compare(column, cart_sub(dup, Ranks{300, 300}, {{true, false}}, Ranks{me / 300, me % 300})),
              Comparison::identical);
  }
}

// Chaarawi and Gabriel 2008, §3.1: odd ranks are excluded, level by level, until one or two
// processes are left.
TEST(Seed, TheHierarchyOfEvenRanksIsAStrideAtEveryLevel) {
  Group group = Group::world(1 << 20);
  for (int level = 1; group.size() > 1; ++level) {
    group = range_excl(group, {1, group.size() - 1, 2});
    EXPECT_EQ(group.format(), level == 20 ? Format::identity : Format::stride);
    EXPECT_EQ(group.world_rank(group.size() - 1), (1 << 20) - (1 << level));
  }
}

TEST(Cartesian, PlanesLinesAndTheirComplementsAreSmall) {
  const Group world = Group::world(1'000'000);
  const Ranks cube{100, 100, 100}, here{42, 7, 99};
  for (int remaining = 1; remaining < 8; ++remaining) {
    const std::array<bool, 3> remain{(remaining & 4) != 0, (remaining & 2) != 0, (remaining & 1) != 0};
    const Group part = cart_sub(world, cube, remain, here);
    EXPECT_LE(part.bytes(), 48u) << remaining;
    EXPECT_NE(part.rank_of(42 * 10'000 + 7 * 100 + 99), undefined);
    const Group rest = difference(world, part);
    EXPECT_EQ(rest.size(), world.size() - part.size());
    EXPECT_LE(rest.bytes(), 128u) << remaining;
    EXPECT_EQ(compare(union_of(part, rest), world), remaining == 7 ? Comparison::identical : Comparison::similar);
  }
}

TEST(Intercommunicators, MergeToAChain) {
  const Group world = Group::world(1000);
  const Group merged = merge(range_incl(world, {999, 500, -1}), range_incl(world, {0, 498, 3}));
  EXPECT_EQ(merged.format(), Format::chain);
  EXPECT_LE(merged.bytes(), 48u);
  EXPECT_EQ(merged.world_rank(0), 999);
  EXPECT_EQ(merged.world_rank(501), 3);
  EXPECT_EQ(merged.rank_of(498), 666);
}

TEST(Extremes, TheLargestWorldIsLikeOthers) {
  const Group world = Group::world(most_ranks);
  const Range every{6, most_ranks - 1, 7};
  const Group sevenths = range_excl(world, std::span(&every, 1));
  EXPECT_EQ(sevenths.format(), Format::grid);
  EXPECT_EQ(sevenths.world_rank(sevenths.size() - 1), (most_ranks - 1) % 7 == 6 ? most_ranks - 2 : most_ranks - 1);
  EXPECT_EQ(sevenths.rank_of(700'000'007), 600'000'006);
  const Range back{sevenths.size() - 1, 0, -3};
  const Group backwards = range_incl(sevenths, std::span(&back, 1));
  for (const Rank rank : {0, 1, 2, 12'345'678, backwards.size() - 1}) {
    EXPECT_EQ(backwards.world_rank(rank), sevenths.world_rank(sevenths.size() - 1 - 3 * rank));
    EXPECT_EQ(backwards.rank_of(backwards.world_rank(rank)), rank);
  }
  const Ranks cube{1024, 1024, 1024}, here{1023, 512, 1};
  const Group plane = cart_sub(world, cube, {{true, false, true}}, here);
  EXPECT_EQ(plane.world_rank(plane.size() - 1), 1023 * 1024 * 1024 + 512 * 1024 + 1023);
  const Group rest = difference(world, plane);
  EXPECT_EQ(rest.size(), most_ranks - plane.size());
  EXPECT_LE(rest.bytes(), 32u);
  EXPECT_EQ(rest.world_rank(rest.size() - 1), most_ranks - 1);
}

TEST(Depth, LeavesNoTrace) {
  Group group = Group::world(1'000'000);
  for (int level = 0; level < 20; ++level) group = range_excl(group, {0, 0, 1});
  EXPECT_EQ(group.format(), Format::stride);
  EXPECT_EQ(group.world_rank(0), 20);
  EXPECT_EQ(group.bytes(), 12u);
}

}  // namespace
}  // namespace heddle::group
