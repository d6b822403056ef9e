// The shares of all ranks give the same facts, whatever the order in which they are joined.
#include "select/collective/volume_shares.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "schedule/algorithms.hpp"
#include "select/collective/cadence.hpp"

namespace heddle::select::volume_shares_test {
namespace {

TEST(Agreement, SharesAddUp) {
  // Four ranks on two nodes: a ring of 100 bytes upwards, and 5000 from 3 to 1.
  const schedule::Nodes nodes(std::vector<Rank>{0, 0, 1, 1});
  const Where where{.ranks = 4, .nodes = 2, .members = 2};
  const auto bytes = [](Rank from, Rank to) -> Bytes { return from == 3 && to == 1 ? 5000 : to == (from + 1) % 4 ? 100 : 0; };
  Share all;
  for (Rank me = 0; me < 4; ++me) {
    const Share mine = share_of(
        me, where, &nodes, [&](Rank to) { return bytes(me, to); }, [&](Rank from) { return bytes(from, me); });
    all = joined(all, mine);
  }
  const AlltoallvFacts facts = agreed(all, where);
  EXPECT_EQ(facts.partners, 5 / 4.0);
  EXPECT_EQ(facts.most_partners, 2);
  EXPECT_EQ(facts.bytes, 5400 / 4.0);
  EXPECT_EQ(facts.most_bytes, 5100);
  EXPECT_EQ(facts.largest_block, 5000);
  EXPECT_EQ(facts.leaving, 5200 / 5400.0);
  EXPECT_EQ(facts.travel[0].hops, (400 + 2 * 5000) / 5400.0) << "3 to 1 goes by 0, in crystal of radix 2; all others straight";
  EXPECT_EQ(facts.travel[0].far, 5200 / 5400.0);
  EXPECT_EQ(facts.travel[0].most, 100 + 2 * 5000);
  EXPECT_EQ(facts.travel[1].hops, 1) << "of radix 4: straight";
  EXPECT_EQ(facts.reach, 2);
  EXPECT_EQ(facts.ones, 1);
  EXPECT_EQ(facts.behind, 0);
}

TEST(Agreement, DistancesAreCountedInStrides) {
  const Where where{.ranks = 40, .nodes = 5, .members = 8};
  const auto facts_of = [&](Rank odd) {
    Share all;
    for (Rank me = 0; me < 40; ++me) {
      const auto bytes = [odd](Rank from, Rank to) -> Bytes {
        const Rank ahead = schedule::around(to - from, 40);
        return ahead == 8 || ahead == 32 || ahead == odd ? 10 : 0;
      };
      all = joined(all,
                   share_of(
                       me, where, nullptr, [&](Rank to) { return bytes(me, to); }, [&](Rank from) { return bytes(from, me); }));
    }
    return agreed(all, where);
  };
  EXPECT_EQ(facts_of(16).stride, 8);
  EXPECT_EQ(facts_of(16).reach, 16);
  EXPECT_EQ(facts_of(16).ones, 2 / 3.0) << "1, 2 and -1 strides: one digit each, and -1 has none that it lacks";
  EXPECT_EQ(facts_of(16).behind, 1 / 3.0);
  EXPECT_EQ(facts_of(12).stride, 4);
  EXPECT_EQ(facts_of(11).stride, 1);
}

TEST(Agreement, DoesNotDependOnTheOrder) {
  std::minstd_rand random(9);
  std::vector<Share> shares(20);
  for (Share& share : shares)
    for (int i = 0; i < 5; ++i) {
      share.send(i, static_cast<Rank>(i + 1 + random() % 15), static_cast<Bytes>(random() % 1000), 20, nullptr);
      share.receive(static_cast<Bytes>(random() % 1000));
    }
  Share forwards;
  for (const Share& share : shares) forwards = joined(forwards, share);
  std::shuffle(shares.begin(), shares.end(), random);
  Share pairs;
  for (std::size_t i = 0; i < shares.size(); i += 2) pairs = joined(joined(shares[i + 1], shares[i]), pairs);
  EXPECT_EQ(forwards, pairs);
  EXPECT_EQ(joined(forwards, {}), forwards);
}

TEST(Agreement, NothingIsFactsToo) {
  const Where where{.ranks = 5};
  const AlltoallvFacts facts = agreed({}, where);
  EXPECT_EQ(facts.bytes, 0);
  EXPECT_LT(facts.leaving, 0) << "not known";
  EXPECT_EQ(choose_alltoallv(facts).algorithm->name, "direct");
}

TEST(Agreement, DigestsTellChoicesApart) {
  const Candidate one{.algorithm = &schedule::alltoallv_crystal, .radix = 2};
  Candidate other = one;
  EXPECT_EQ(digest(one), digest(other));
  other.radix = 4;
  EXPECT_NE(digest(one), digest(other));
  other = one;
  other.segment = 4096;
  EXPECT_NE(digest(one), digest(other));
  other = one;
  other.algorithm = &schedule::alltoallv_bruck;
  EXPECT_NE(digest(one), digest(other));
}

// A reduction begins only after the previous one has counted, so a rank has one under way at most.
// If nothing changes, reductions are few.
TEST(Cadence, OneReductionAtATimeAndFewOfThem) {
  for (const bool changes : {false, true}) {
    Cadence cadence;
    int under_way = 0;
    int begun = 0;
    std::int64_t quiet_until = 0;
    for (std::int64_t call = 0; call < 10'000; ++call) {
      if (cadence.counts(call)) {
        --under_way;
        cadence.settle(changes);
      }
      EXPECT_GE(under_way, 0);
      EXPECT_FALSE(cadence.begins(call) && call < quiet_until) << call;
      EXPECT_FALSE(cadence.counts(call) && call < quiet_until) << call;
      if (cadence.begins(call)) ++under_way, ++begun;
      EXPECT_LE(under_way, 1);
      if (call == quiet_until || quiet_until == 0) quiet_until = call + 1 + cadence.quiet(call + 1);
    }
    EXPECT_LT(begun, 10'000 / (changes ? Cadence::every : Cadence::seldom) + 5);
  }
}

// If a call takes hardly longer than the reduction, more calls go by between reductions. Still, the
// interval never exceeds Cadence::seldom calls.
TEST(Cadence, ShortCallsAreLookedAtSeldom) {
  const Where crowded{.ranks = 16, .members = 16, .crowding = 8, .links = &openmpi_links};
  const auto calls = [&](Bytes block) {
    AlltoallvFacts facts{crowded};
    facts.partners = facts.most_partners = block > 0 ? 15 : 0;
    facts.largest_block = block;
    facts.most_bytes = 15 * block;
    facts.bytes = static_cast<double>(facts.most_bytes);
    return calls_for(choose_alltoallv(facts), crowded);
  };
  EXPECT_GT(calls(8), Cadence::every);
  EXPECT_LT(calls(8), Cadence::seldom);
  EXPECT_LT(calls(128 << 10), Cadence::every);
  EXPECT_GE(calls(8), calls(4096));
  EXPECT_EQ(calls(0), 1) << "long blocks, which are told as none: no telling how long they take";

  const auto begun = [](std::int64_t least, bool changes) {
    Cadence cadence;
    int all = 0;
    for (std::int64_t call = 0; call < 100'000; ++call) {
      if (cadence.counts(call)) cadence.settle(changes, least);
      all += cadence.begins(call) ? 1 : 0;
    }
    return all;
  };
  EXPECT_LE(begun(3 * Cadence::every - 7, true), 100'000 / (3 * Cadence::every) + 1);
  EXPECT_EQ(begun(1, true), begun(Cadence::every, true));
  EXPECT_GE(begun(1'000'000, true), 100'000 / Cadence::seldom) << "but not less often than where nothing changes";
}

}  // namespace
}  // namespace heddle::select::volume_shares_test
