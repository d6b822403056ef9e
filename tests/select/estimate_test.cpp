// Compares the estimator with closed formulas. Then compares the choices with the estimator: each
// choice is near the best way.
#include "select/collective/estimate.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "schedule/algorithms.hpp"
#include "select/collective/choose_collective.hpp"
#include "select/collective/volume_shares.hpp"

namespace heddle::select::estimate_test {
namespace {

using namespace schedule;

/// Links within and between nodes are the same. Bundling costs nothing.
constexpr Links plain{
    {.latency = 1000, .message = 100, .byte = 1}, {.latency = 1000, .message = 100, .byte = 1}, 0, 0, 0, 0, 0};

std::vector<Bytes> one_outlier(Rank ranks, Bytes outlier, Bytes bytes) {
  std::vector<Bytes> volumes(static_cast<std::size_t>(ranks), bytes);
  volumes[0] = outlier;
  return volumes;
}

TEST(Estimate, OneBlockAroundTheRingAndByTree) {
  const Where where{.ranks = 48, .links = &plain};
  const std::vector<Bytes> volumes = one_outlier(48, 10'000, 0);
  EXPECT_DOUBLE_EQ(estimate_allgatherv({.algorithm = &allgatherv_ring}, where, volumes), 47 * (1000.0 + 10'000));
  EXPECT_DOUBLE_EQ(estimate_allgatherv({.algorithm = &allgatherv_dissemination}, where, volumes), 5 * (1000.0 + 10'000))
      << "47 is 101111 in binary: five hops";
  // 47 hops of the first segment, one after the other, then nine more segments.
  EXPECT_DOUBLE_EQ(estimate_allgatherv({.algorithm = &allgatherv_pipelined_ring, .segment = 1000}, where, volumes),
                   47 * (1000.0 + 1000) + 9 * 1000);
}

TEST(Estimate, EqualBlocksAreBoundByBandwidth) {
  const Where where{.ranks = 32, .links = &plain};
  const std::vector<Bytes> volumes = one_outlier(32, 1000, 1000);
  EXPECT_DOUBLE_EQ(estimate_allgatherv({.algorithm = &allgatherv_ring}, where, volumes), 31 * 2000.0);
  EXPECT_DOUBLE_EQ(estimate_allgatherv({.algorithm = &allgatherv_recursive_doubling}, where, volumes),
                   5 * 1000.0 + 31 * 1000.0);
}

std::vector<std::vector<Flow>> neighbours(Rank ranks, Rank partners, Bytes bytes, Rank stride = 1) {
  std::vector<std::vector<Flow>> flows(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank)
    for (Rank i = 0; i < partners; ++i) {
      const Rank away = (i / 2 + 1) * stride * (i % 2 == 0 ? 1 : -1);
      flows[static_cast<std::size_t>(rank)].push_back({around(rank + away, ranks), bytes});
    }
  return flows;
}

TEST(Estimate, TheRouterTakesLogarithmicallyManyMessages) {
  const Where where{.ranks = 256, .links = &plain};
  EXPECT_DOUBLE_EQ(estimate_alltoallv({.algorithm = &alltoallv_crystal}, where, neighbours(256, 0, 0)), 8 * 1000.0);
  EXPECT_DOUBLE_EQ(estimate_alltoallv({.algorithm = &alltoallv_round_robin}, where, neighbours(256, 0, 0)), 255 * 1000.0);
  EXPECT_DOUBLE_EQ(estimate_alltoallv({.algorithm = &alltoallv_direct}, where, neighbours(256, 26, 0)), 0.0);
  EXPECT_DOUBLE_EQ(estimate_alltoallv({.algorithm = &alltoallv_direct}, where, neighbours(256, 26, 10)),
                   25 * 100 + 10 + 1000.0);
}

/// `count` nodes with `members` ranks each.
struct Stage {
  Stage(Rank count, Rank members) : of(static_cast<std::size_t>(count * members)) {
    for (Rank rank = 0; rank < count * members; ++rank) of[static_cast<std::size_t>(rank)] = rank / members;
    nodes.emplace(of);
    where = {.ranks = count * members, .nodes = count, .members = members};
  }
  std::vector<Rank> of;
  std::optional<Nodes> nodes;
  Where where;
};

TEST(Estimate, WhatAllgathervChoosesIsNearTheBest) {
  std::minstd_rand random(3);
  double worst = 1;
  double sum = 0;
  int cases = 0;
  for (const auto& [count, members] :
       std::vector<std::pair<Rank, Rank>>{{1, 2}, {1, 8}, {1, 48}, {1, 64}, {64, 1}, {48, 1}, {16, 8}, {5, 7}}) {
    const Stage stage(count, members);
    const Rank p = stage.where.ranks;
    for (const Bytes outlier : {8, 1024, 32 << 10, 1 << 20, 16 << 20}) {
      for (const int spread : {0, 1, 2}) {  // one outlier, a power law, all equal
        std::vector<Bytes> volumes = one_outlier(p, outlier, 8);
        if (spread > 0)
          for (Bytes& one : volumes)
            one = spread == 2 ? outlier : std::max<Bytes>(8, outlier / static_cast<Bytes>(1 + random() % 1000));
        const AllgathervFacts facts{stage.where,
                                    Spread().of(p, [&](Rank of) { return volumes[static_cast<std::size_t>(of)]; })};
        const Candidate chosen = choose_allgatherv(facts);
        const double ns = estimate_allgatherv(chosen, facts, volumes, &*stage.nodes);
        double best = ns;
        for (const Algorithm* other : allgatherv()) {
          for (const int radix : {2, 4, 8}) {
            const Candidate choice{
                .algorithm = other, .radix = radix, .segment = other == &allgatherv_pipelined_ring ? 32 << 10 : 0};
            best = std::min(best, estimate_allgatherv(choice, facts, volumes, &*stage.nodes));
          }
        }
        EXPECT_LT(ns / best, 2.0) << p << " ranks on " << count << " nodes, spread " << spread << "\n  "
                                  << why_allgatherv(facts);
        worst = std::max(worst, ns / best);
        sum += ns / best;
        ++cases;
      }
    }
  }
  std::cout << "Allgatherv: at worst " << worst << ", on average " << sum / cases << " of the best of " << cases << " cases\n";
  EXPECT_LT(sum / cases, 1.2);
}

TEST(Estimate, WhatAlltoallvChoosesIsNearTheBest) {
  double worst = 1;
  double sum = 0;
  int cases = 0;
  for (const auto& [count, members] :
       std::vector<std::pair<Rank, Rank>>{{1, 8}, {1, 48}, {64, 1}, {300, 1}, {16, 16}, {40, 6}}) {
    const Stage stage(count, members);
    const Rank p = stage.where.ranks;
    for (const Rank wanted : {2, 26, 1000}) {
      const Rank partners = std::min(wanted, (p - 1) / 2 * 2);
      for (const Bytes bytes : {8, 512, 8 << 10, 128 << 10}) {
        for (const Rank stride : {1, 5}) {
          if (partners > 26 && (stride > 1 || p > 64)) continue;
          const auto flows = neighbours(p, partners, bytes, stride);
          Share all;
          for (Rank from = 0; from < p; ++from) {
            Share mine;
            for (const Flow& one : flows[static_cast<std::size_t>(from)]) {
              mine.send(from, one.to, one.bytes, p, &*stage.nodes);
              mine.receive(one.bytes);  // each rank receives as much as it sends
            }
            all = joined(all, mine);
          }
          const AlltoallvFacts facts = agreed(all, stage.where);
          const double ns = estimate_alltoallv(choose_alltoallv(facts), facts, flows, &*stage.nodes);
          double best = ns;
          for (const Algorithm* other : alltoallv())
            for (const int radix : {2, 4, 8}) {
              const bool has_radix = other == &alltoallv_crystal || other == &alltoallv_bruck;
              if (other == &alltoallv_round_robin || (radix > 2 && !has_radix)) continue;
              best = std::min(best, estimate_alltoallv({.algorithm = other, .radix = radix}, facts, flows, &*stage.nodes));
            }
          EXPECT_LT(ns / best, 2.0) << p << " ranks on " << count << " nodes, stride " << stride << "\n  "
                                    << why_alltoallv(facts);
          worst = std::max(worst, ns / best);
          sum += ns / best;
          ++cases;
        }
      }
    }
  }
  std::cout << "Alltoallv: at worst " << worst << ", on average " << sum / cases << " of the best of " << cases << " cases\n";
  EXPECT_LT(sum / cases, 1.2);
}

}  // namespace
}  // namespace heddle::select::estimate_test
