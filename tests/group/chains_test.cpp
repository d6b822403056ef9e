// Compares groups with plain vectors: chains of derivations to a depth of twenty. Each run takes
// other seeds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "group/operations.hpp"
#include "oracle.hpp"

namespace heddle::group {
namespace {

using test::derive;
using test::Dice;
using test::difference_of;
using test::Pair;

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr int cases = 250'000;
#else
constexpr int cases = 50'000;  // a case takes several times as long
#endif

/// TEST_SEED repeats a run.
std::uint64_t first_seed() {
  const char* set = std::getenv("TEST_SEED");
  return set ? std::strtoull(set, nullptr, 10) : std::random_device{}();
}

TEST(Chains, OfManyDerivationsEqualPlainVectors) {
  const std::uint64_t seed = first_seed();
  int done = 0;
  for (std::uint64_t chain = 0; done < cases; ++chain) {
    Dice dice(seed + chain);
    const int world = test::world_size(dice);
    Pair pair = test::world(world);
    for (int level = dice.throw_one(21); level >= 0; --level, ++done) {
      pair = derive(pair, world, dice);
      const std::string differs = difference_of(pair, world);
      ASSERT_EQ(differs, "") << "TEST_SEED=" << seed + chain << " repeats it";
    }
  }
  RecordProperty("cases", done);
  RecordProperty("seed", std::to_string(seed));
}

RC_GTEST_PROP(Chains, ShrinkToTheShortestThatFails, (const std::vector<std::uint32_t>& choices)) {
  Dice dice(choices);
  const int world = test::world_size(dice), depth = 1 + dice.throw_one(20);
  RC_ASSERT(difference_of(test::derived(world, depth, dice), world) == "");
}

RC_GTEST_PROP(Sets, AreWhatTheyShouldBe, (const std::vector<std::uint32_t>& choices)) {
  Dice dice(choices);
  const int world = test::world_size(dice);
  const Pair a = test::derived(world, 1 + dice.throw_one(4), dice), b = test::derived(world, 1 + dice.throw_one(4), dice);
  const Group both = intersection(a.group, b.group), only = difference(a.group, b.group), either = union_of(a.group, b.group);
  RC_LOG() << a.made << "\n" << b.made << "\n";
  RC_ASSERT(both.size() + only.size() == a.group.size());
  RC_ASSERT(either.size() == only.size() + b.group.size());
  RC_ASSERT(compare(union_of(only, both), a.group) != Comparison::unequal);
  RC_ASSERT(compare(merge(a.group, difference(b.group, a.group)), either) == Comparison::identical);
  RC_ASSERT((compare(a.group, b.group) == Comparison::identical) == (a.ranks == b.ranks));
}

RC_GTEST_PROP(Translate, GoesBothWays, (const std::vector<std::uint32_t>& choices)) {
  Dice dice(choices);
  const int world = test::world_size(dice);
  const Pair parent = test::derived(world, 3, dice), child = derive(parent, world, dice);
  for (Rank rank = 0; rank < child.group.size(); ++rank) {
    const Rank there = translate(child.group, rank, parent.group);
    const auto found = std::find(parent.ranks.begin(), parent.ranks.end(), child.ranks[static_cast<std::size_t>(rank)]);
    RC_ASSERT(there == (found == parent.ranks.end() ? undefined : static_cast<Rank>(found - parent.ranks.begin())));
    if (there != undefined) RC_ASSERT(translate(parent.group, there, child.group) == rank);
  }
}

}  // namespace
}  // namespace heddle::group
