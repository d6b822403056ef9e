// Every algorithm with every number of ranks up to 300. Each block arrives once, at its
// destination. Sends and receives match, and no rank waits for ever. Rounds and messages are as in
// the formula.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "carriers.hpp"
#include "places.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

constexpr Rank all_up_to = 300;

template <class Carrier>
Totals run(const Algorithm& algorithm, const Place& place) {
  Carrier carrier(place);
  Simulator<Carrier> simulator(algorithm, place, carrier);
  EXPECT_TRUE(simulator.run()) << simulator.why();
  EXPECT_EQ(carrier.wrong(), "") << algorithm.name << ", P = " << place.ranks << ", radix " << place.radix;
  Totals totals = simulator.totals();
  if constexpr (std::is_same_v<Carrier, Tokens>) totals.blocks = carrier.moved();
  return totals;
}

TEST(Allgatherv, Ring) {
  for (Rank p = 1; p <= all_up_to; ++p) {
    const Totals totals = run<Blocks>(allgatherv_ring, {.ranks = p});
    EXPECT_EQ(totals.rounds, p - 1);
    EXPECT_EQ(totals.most_sent, p - 1);
  }
}

TEST(Allgatherv, RecursiveDoubling) {
  for (Rank p = 1; p <= all_up_to; ++p) {
    const Totals totals = run<Blocks>(allgatherv_recursive_doubling, {.ranks = p});
    const int down = logarithm(p / 2 + 1);  // ceil(log2) of the largest power of two in p
    const bool power = (p & (p - 1)) == 0;
    EXPECT_EQ(totals.rounds, power ? logarithm(p) : down + 2) << p;
    EXPECT_EQ(totals.blocks, Count{p} * (p - 1)) << "each block reaches each other rank once";
  }
}

TEST(Allgatherv, Dissemination) {
  for (const int radix : {2, 3, 4, 8, 17}) {
    for (Rank p = 1; p <= all_up_to; p += radix == 2 ? 1 : 3) {
      const Totals totals = run<Blocks>(allgatherv_dissemination, {.ranks = p, .radix = radix});
      EXPECT_EQ(totals.rounds, logarithm(p, radix));
      EXPECT_LE(totals.most_sent, totals.rounds * (radix - 1));
      EXPECT_EQ(totals.blocks, Count{p} * (p - 1));
    }
  }
}

TEST(Allgatherv, PipelinedRing) {
  std::minstd_rand random(11);
  for (Rank p = 1; p <= all_up_to; p += p < 60 ? 1 : 13) {
    const Rank outlier = static_cast<Rank>(random() % static_cast<unsigned>(p));
    const std::function<Count(Rank)> shapes[] = {
        [&](Rank of) { return of == outlier ? 1000 : 8; },
        [&](Rank) { return static_cast<Count>(random() % 100 * (random() % 5)); },
        [](Rank) { return 250; },
    };
    for (const auto& bytes : shapes) {
      const Pieces pieces(p, 100, bytes);
      const Totals totals = run<Blocks>(allgatherv_pipelined_ring, {.ranks = p, .pieces = &pieces});
      EXPECT_EQ(totals.rounds, pieces.all() - pieces.fewest());
      EXPECT_EQ(totals.most_sent, totals.rounds) << "the link to the one with the shortest block is the busiest";
    }
    EXPECT_EQ(run<Blocks>(allgatherv_pipelined_ring, {.ranks = p}).rounds, p - 1);
  }
}

TEST(Allgatherv, DisseminationAmongFiveIsThePapersPicture) {
  // Balaji et al. 2007, figure 11: what rank 2 has after each round.
  const Place five{.ranks = 5};
  std::vector<Rank> has = {2};
  const std::vector<std::vector<Rank>> after = {{2, 1}, {2, 1, 0, 4}, {2, 1, 0, 4, 3}};
  for (Count k = 0; k < allgatherv_dissemination.rounds(five); ++k) {
    const Round round = allgatherv_dissemination.round(five, 2, k);
    ASSERT_EQ(round.receives.size(), 1u);
    const Ranks& what = round.receives[0].what;
    for (Rank i = what.count(); i-- > 0;) has.push_back(what.at(i));
    EXPECT_EQ(has, after[static_cast<std::size_t>(k)]);
  }
}

TEST(Alltoallv, RoundRobinAndDirect) {
  for (Rank p = 1; p <= all_up_to; p += p < 40 ? 1 : 7) {
    for (const Algorithm* algorithm : {&alltoallv_round_robin, &alltoallv_direct}) {
      const Totals totals = run<Tokens>(*algorithm, {.ranks = p});
      EXPECT_EQ(totals.rounds, p - 1);
      EXPECT_EQ(totals.most_sent, p - 1);
      EXPECT_EQ(totals.blocks, Count{p} * (p - 1));
    }
  }
}

TEST(Alltoallv, Crystal) {
  for (const int radix : {2, 3, 4, 9}) {
    for (Rank p = 1; p <= all_up_to; p += radix == 2 ? 1 : 3) {
      const Totals totals = run<Tokens>(alltoallv_crystal, {.ranks = p, .radix = radix});
      EXPECT_EQ(totals.rounds, logarithm(p, radix));
      EXPECT_LE(totals.most_sent, totals.rounds * (radix - 1));
      EXPECT_LE(totals.most_received, 2 * totals.rounds * (radix - 1));
    }
  }
}

TEST(Alltoallv, CrystalAtAPowerOfTwoSwapsWithOnePartnerARound) {
  const Totals totals = run<Tokens>(alltoallv_crystal, {.ranks = 256});
  EXPECT_EQ(totals.rounds, 8);
  EXPECT_EQ(totals.most_sent, 8);
  EXPECT_EQ(totals.most_received, 8);
  EXPECT_EQ(totals.blocks, 8 * 256 * 256 / 2) << "half of all blocks crosses in each round";
}

TEST(Alltoallv, CrystalHopsAreThoseOfTheBlocks) {
  for (const Rank p : {1, 2, 7, 64, 100}) {
    for (const int radix : {2, 5}) {
      const Place place{.ranks = p, .radix = radix};
      Count hops = 0;
      for (Rank from = 0; from < p; ++from)
        for (Rank to = 0; to < p; ++to) hops += crystal_hops(place, from, to).all;
      EXPECT_EQ(hops, run<Tokens>(alltoallv_crystal, place).blocks);
    }
  }
}

TEST(Alltoallv, CrystalOverChannels) {
  for (const Rank p : {2, 3, 5, 16, 31}) {
    const Totals totals = run<Tokens>(alltoallv_crystal, {.ranks = p, .channels = 4});
    EXPECT_EQ(totals.most_sent, 4 * logarithm(p));
    const Totals clamped = run<Tokens>(alltoallv_crystal, {.ranks = p, .radix = 100, .channels = 100});
    EXPECT_LE(clamped.most_sent, Count{8} * logarithm(p, 9));
  }
}

TEST(Alltoallv, Bruck) {
  for (const int radix : {2, 3, 4, 16, 17}) {
    for (Rank p = 1; p <= all_up_to; p += radix == 2 ? 1 : 3) {
      const Totals totals = run<Tokens>(alltoallv_bruck, {.ranks = p, .radix = radix});
      EXPECT_EQ(totals.rounds, logarithm(p, radix));
      EXPECT_LE(totals.most_sent, totals.rounds * (radix - 1));
      Count digits = 0;  // of all distances that are not zero
      for (Rank away = 1; away < p; ++away)
        for (Rank rest = away; rest > 0; rest /= radix) digits += rest % radix != 0 ? 1 : 0;
      EXPECT_EQ(totals.blocks, p * digits);
    }
  }
}

TEST(Alltoallv, BruckAmongNeighboursTakesAsManyRoundsAsTheirDistanceHasDigits) {
  for (const Rank reach : {1, 2, 3, 4, 13, 100}) {
    const int digits = logarithm(2 * reach + 1);
    for (Rank p = 1; p <= all_up_to; p += p < 40 ? 1 : 7) {
      const Place place{.ranks = p, .reach = reach};
      const Totals totals = run<Tokens>(alltoallv_bruck, place);
      const bool near = 1 << digits < p;
      EXPECT_EQ(totals.rounds, near ? digits : logarithm(p)) << "reach " << reach << ", P = " << p;
      EXPECT_EQ(totals.most_sent, totals.rounds);
      if (!near) continue;
      EXPECT_EQ(totals.blocks, Count{p} * digits << (digits - 1)) << "half of them travel each digit";
      for (Rank away = 0; away < p; ++away)
        EXPECT_EQ(bruck_takes(place, 5 % p, around(5 + away, p)), away < 1 << (digits - 1) || p - away <= 1 << (digits - 1));
    }
  }
}

TEST(Alltoallv, BruckAmongNeighboursCountsInStrides) {
  for (const Rank stride : {2, 3, 8, 24})
    for (const Rank strides : {1, 2, 5, 13}) {
      const int digits = logarithm(2 * strides + 1);
      for (Rank p = 2; p <= all_up_to; p += p < 40 ? 1 : 7) {
        const Place place{.ranks = p, .reach = strides * stride, .stride = stride};
        const Totals totals = run<Tokens>(alltoallv_bruck, place);
        const bool near = stride << digits < p;
        EXPECT_EQ(totals.rounds, near ? digits : logarithm(p)) << strides << " by " << stride << ", P = " << p;
        if (!near) continue;
        EXPECT_EQ(totals.blocks, Count{p} * digits << (digits - 1));
        const Rank half = stride << (digits - 1);
        for (Rank away = 0; away < p; ++away)
          EXPECT_EQ(bruck_takes(place, 5 % p, around(5 + away, p)),
                    (away < half && away % stride == 0) || (p - away <= half && (p - away) % stride == 0));
      }
    }
}

TEST(Alltoallv, WhatCrystalTakesOverABorderOfHalvesIsNearlyThere) {
  for (const Rank p : {64, 1000, 8192})
    for (const Rank away : {1, 5, 13}) {
      const Place place{.ranks = p};
      EXPECT_EQ(crystal_hops(place, p / 2 - 1, p / 2).all, 1) << "straight";
      EXPECT_LE(crystal_hops(place, p / 2 - 1, p / 2 - 1 + away).all, 1 + logarithm(2 * away + 2)) << p << ", " << away;
    }
}

template <class Visit>
void each_deal(Rank most_ranks, const Visit& visit) {
  for (Rank p = 1; p <= most_ranks; p += p < 30 ? 1 : 19) {
    for (const Rank count : {1, 2, 3, 7, 16, 50, 300}) {
      if (count > p) continue;
      for (const Dealt how : {Dealt::blocks, Dealt::turns, Dealt::random, Dealt::one_alone}) {
        const Nodes nodes = dealt(p, count, how);
        visit(Place{.ranks = p, .nodes = &nodes});
      }
    }
  }
}

TEST(Allgatherv, TwoLevel) {
  each_deal(all_up_to, [](const Place& place) {
    const Totals totals = run<Blocks>(allgatherv_two_level, place);
    EXPECT_EQ(totals.rounds, 2 * logarithm(place.nodes->largest()) + logarithm(place.nodes->count()));
  });
}

TEST(Alltoallv, TwoLevel) {
  each_deal(all_up_to, [](const Place& place) {
    const Totals totals = run<Tokens>(alltoallv_two_level, place);
    EXPECT_LE(totals.blocks, 3LL * place.ranks * place.ranks) << "no block moves more than three times";
  });
}

TEST(Alltoallv, TwoLevelSendsOneMessageFromNodeToNode) {
  const Nodes nodes = dealt(96, 12, Dealt::turns);
  const Place place{.ranks = 96, .nodes = &nodes};
  std::vector<int> messages(12 * 12);
  for (Rank rank = 0; rank < 96; ++rank) {
    int away = 0;
    for (Count k = 0; k < alltoallv_two_level.rounds(place); ++k) {
      for (const Send& one : alltoallv_two_level.round(place, rank, k).sends) {
        ++messages[static_cast<std::size_t>(nodes.of(rank) * 12 + nodes.of(one.to))];
        away += nodes.of(one.to) != nodes.of(rank) ? 1 : 0;
      }
    }
    EXPECT_LE(away, 2) << "11 other nodes shared by 8 members";
  }
  for (std::size_t pair = 0; pair < messages.size(); ++pair) {
    if (pair % 13 == 0) continue;
    EXPECT_EQ(messages[pair], 1);
  }
}

}  // namespace
}  // namespace heddle::schedule
