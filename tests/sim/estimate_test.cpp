// Compares the estimator with results worked out by hand, and with laws that hold for any machine.
#include <gtest/gtest.h>

#include "machines.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::sim::test {
namespace {

double ns(const Task& task, const Machine& machine) { return estimate(task, machine).ns; }

constexpr double path = 2 * hop;  // up to the switch and down

TEST(Estimate, OneMessageToANeighbour) {
  EXPECT_DOUBLE_EQ(ns(alltoallv(2, 8, "direct", 1), plain(2)), o_send + path + 8 * byte + o_receive);
  EXPECT_DOUBLE_EQ(ns(alltoallv(2, 10'000, "direct", 1), plain(2)), o_send + path + 10'000 * byte)
      << "a long message waits for its receiver, who has nothing more to do for it";
  EXPECT_DOUBLE_EQ(ns(alltoallv(2, 8, "direct", 1), plain(1, 2)), o_send + 1 + 8 * 0.5 + o_receive) << "within a node";
}

TEST(Estimate, PartnersAreMessagesOneAfterTheOther) {
  // When the last message has been sent, all others have arrived.
  EXPECT_DOUBLE_EQ(ns(alltoallv(64, 0, "direct", 26), plain(64)), 0);
  EXPECT_NEAR(ns(alltoallv(64, 1, "direct", 26), plain(64)), 26 * (o_send + o_receive), 1);
}

TEST(Estimate, AMessageToEverybodyTakesAsManyRounds) {
  const double round = o_send + path + o_receive;
  EXPECT_NEAR(ns(alltoallv(64, 0, "round-robin", 0), plain(64)), 63 * round, 1e-6);
  // The estimator looks at 512 of the 5,000 distances.
  const Estimate sampled = estimate(alltoallv(5000, 0, "round-robin", 0), plain(5000));
  EXPECT_NEAR(sampled.ns, 4999 * round, 1e-3);
  EXPECT_EQ(sampled.walked, 512);
}

TEST(Estimate, EmptyBundlesTakeALogarithmOfRounds) {
  const double round = o_send + path + 16 * byte + o_receive;  // an empty bundle has 16 bytes
  EXPECT_NEAR(ns(alltoallv(1024, 0, "crystal", 0), plain(1024)), 10 * round, 1e-3);
  // 1000 ranks do not halve evenly. Sometimes a rank of the smaller half receives two bundles.
  EXPECT_NEAR(ns(alltoallv(1000, 0, "crystal", 0), plain(1000)), 10 * round, 10 * o_receive);
}

TEST(Estimate, EachPacketOfTheRouterIsPaidFor) {
  // Two ranks with a block for each other: one round, and a copy on each side.
  const double once = o_send + path + (32 + 100) * byte + o_receive + block + 2 * 100 * copy;
  EXPECT_NEAR(ns(alltoallv(2, 100, "crystal", 1), plain(2)), once, 1e-3);
  // The original router copies before it sends, out of the bundle, and for the program.
  EXPECT_NEAR(ns(alltoallv(2, 100, "crystal:copies", 1), plain(2)), once + 2 * 100 * copy, 1e-3);
}

TEST(Estimate, LongBlocksGoBeside) {
  const Machine machine = plain(64);
  const double beside = ns(alltoallv(64, 4096, "crystal"), machine);
  EXPECT_LE(beside, ns(alltoallv(64, 4096, "direct"), machine) + ns(alltoallv(64, 0, "crystal", 0), machine));
  EXPECT_GT(ns(alltoallv(64, 4096, "crystal:beside=1G"), machine), beside);
  EXPECT_EQ(estimate(alltoallv(64, 4096, "crystal"), machine).copied, 0);
}

TEST(Estimate, OneHugeBlockGoesAroundTheRing) {
  const double once = o_send + path + 100'000 * byte;
  EXPECT_NEAR(ns(allgatherv(32, 100'000, "ring", 0), plain(32)), 31 * once, 1e-3);
  EXPECT_LT(ns(allgatherv(32, 100'000, "dissemination", 0), plain(32)), 12 * once) << "a tree of five levels";
  EXPECT_LT(ns(allgatherv(32, 100'000, "pipelined-ring:segment=4K", 0), plain(32)), 5 * once);
}

TEST(Estimate, SharedLinksCarryEverything) {
  // 24 ranks of a node send 8000 bytes each to the next node, over one link.
  const Machine machine = plain(2, 24);
  const double all = ns(alltoallv(48, 8000, "direct", 1, 24), machine);
  EXPECT_GE(all, 24 * 8000 * byte);
  EXPECT_LE(all, 24 * 8000 * byte + o_send + path + o_receive);
}

/// The law holds for any number of ranks and any algorithm.
TEST(Estimate, MoreBytesNeverTakeLess) {
  for (const Rank ranks : {7, 64, 100})
    for (const Rank members : {1, 6})
      for (const schedule::Algorithm* one : schedule::alltoallv()) {
        double before = 0;
        for (const Bytes bytes : {0, 8, 100, 2000}) {
          const double now = ns(alltoallv(ranks, bytes, std::string(one->name), 6), plain(ranks, members));
          EXPECT_GE(now, before) << one->name << ", " << ranks << " ranks, " << bytes << " bytes";
          before = now;
        }
      }
}

TEST(Estimate, NothingIsQuickerThanItsBytesOrItsMessages) {
  for (const Rank ranks : {2, 33, 128})
    for (const schedule::Algorithm* one : schedule::alltoallv()) {
      const Estimate about = estimate(alltoallv(ranks, 512, std::string(one->name), 6), plain(ranks));
      EXPECT_GE(about.ns, about.messages * o_send) << one->name;
      EXPECT_GE(about.ns, about.bytes * byte) << one->name;
      EXPECT_GE(about.bytes, 512.0 * std::min(6, ranks - 1)) << one->name << ": every byte travels";
    }
}

TEST(Estimate, TwiceTheSame) {
  for (const char* name : {"crystal:radix=4,beside=1G", "two-level", "bruck", "direct", "round-robin"}) {
    const Task task = alltoallv(300, 700, name);
    EXPECT_EQ(ns(task, plain(50, 6)), ns(task, plain(50, 6))) << name;
  }
}

TEST(Estimate, WhatIsNotThereIsSaid) {
  EXPECT_THROW(alltoallv(8, 8, "ring"), std::invalid_argument);
  EXPECT_THROW(alltoallv(8, 8, "crystal:radix=x"), std::invalid_argument);
  EXPECT_THROW(alltoallv(1, 8, "direct"), std::invalid_argument);
  EXPECT_THROW(estimate(alltoallv(9, 8, "direct"), plain(2, 4)), std::invalid_argument) << "a rank without a node";
}

}  // namespace
}  // namespace heddle::sim::test
