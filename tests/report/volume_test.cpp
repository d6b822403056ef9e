#include "report/volume.hpp"

#include <gtest/gtest.h>

#include <map>

namespace heddle::report::volume_test {
namespace {

/// Rank 1 of a communicator of ranks 10, 11 and 12 of the world.
const Partners three{.me = 1, .world = {10, 11, 12}};
/// An intercommunicator: the remote group has these ranks.
const Partners two_groups{.inter = true, .me = 0, .world = {10, 11, 12}};

/// Bytes for peer i, and from peer i.
std::int64_t sent(int i) { return 100 + i; }
std::int64_t received(int i) { return 1000 + i; }

std::int64_t bytes(const Moves& moves, const Partners& partners = three) {
  return Volume(moves, partners, sent, received).bytes();
}
/// Bytes to each world rank.
std::map<int, std::int64_t> each(const Moves& moves, const Partners& partners = three) {
  std::map<int, std::int64_t> told;
  Volume(moves, partners, sent, received).each([&](int rank, std::int64_t more) { told[rank] += more; });
  return told;
}
using Told = std::map<int, std::int64_t>;

TEST(Volume, AMessageIsItsBuffer) {
  EXPECT_EQ(bytes({.peer = 2, .one = 64}), 64);
  EXPECT_EQ(each({.peer = 2, .one = 64}), (Told{{12, 64}}));
  EXPECT_EQ(bytes({.peer = 2}), -1) << "nobody knows";
  EXPECT_EQ(each({.peer = 2}), Told{});
  EXPECT_EQ(each({.peer = -1, .one = 64}), Told{}) << "to nobody";
  EXPECT_EQ(each({.peer = 3, .one = 64}), Told{}) << "there is no such rank";
}

TEST(Volume, OfAnAlltoallAreAllBlocks) {
  Moves moves{.pattern = Pattern::alltoall};
  EXPECT_EQ(bytes(moves), 100 + 101 + 102);
  EXPECT_EQ(each(moves), (Told{{10, 100}, {11, 101}, {12, 102}}));
  moves.sends_in_place = true;  // in the receive buffer, where its own block stays
  EXPECT_EQ(bytes(moves), 1000 + 1001 + 1002);
  EXPECT_EQ(each(moves), (Told{{10, 1000}, {12, 1002}}));
}

TEST(Volume, OfAnAllgatherIsTheOneBlock) {
  Moves moves{.pattern = Pattern::allgather};
  EXPECT_EQ(bytes(moves), 100);
  EXPECT_EQ(each(moves), (Told{{10, 100}, {11, 100}, {12, 100}}));
  moves.sends_in_place = true;
  EXPECT_EQ(bytes(moves), 1001);
  EXPECT_EQ(each(moves), (Told{{10, 1001}, {12, 1001}}));
}

TEST(Volume, OfAGatherIsWhatTheRootHasRoomFor) {
  const Moves leaf{.pattern = Pattern::gather, .root = 2};
  EXPECT_EQ(bytes(leaf), 100);
  EXPECT_EQ(each(leaf), (Told{{12, 100}}));
  Moves root{.pattern = Pattern::gather, .is_root = true, .root = 1};
  EXPECT_EQ(bytes(root), 1000 + 1001 + 1002);
  EXPECT_EQ(each(root), (Told{{11, 100}}));
  root.sends_in_place = true;
  EXPECT_EQ(each(root), Told{});
}

TEST(Volume, OfAScatterIsWhatTheRootSends) {
  const Moves leaf{.pattern = Pattern::scatter, .root = 2};
  EXPECT_EQ(bytes(leaf), 1000);
  EXPECT_EQ(each(leaf), Told{});
  Moves root{.pattern = Pattern::scatter, .is_root = true, .root = 1};
  EXPECT_EQ(bytes(root), 100 + 101 + 102);
  EXPECT_EQ(each(root), (Told{{10, 100}, {11, 101}, {12, 102}}));
  root.receives_in_place = true;
  EXPECT_EQ(each(root), (Told{{10, 100}, {12, 102}}));
}

TEST(Volume, OfABroadcastIsTheBuffer) {
  EXPECT_EQ(bytes({.pattern = Pattern::broadcast, .one = 64, .root = 2}), 64);
  EXPECT_EQ(each({.pattern = Pattern::broadcast, .one = 64, .root = 2}), Told{});
  EXPECT_EQ(each({.pattern = Pattern::broadcast, .one = 64, .is_root = true, .root = 1}), (Told{{10, 64}, {12, 64}}));
}

TEST(Volume, OfTwoGroupsAllPeersAreOthers) {
  EXPECT_EQ(each({.pattern = Pattern::allgather}, two_groups), (Told{{10, 100}, {11, 100}, {12, 100}}));
  const Moves idle{.pattern = Pattern::gather, .has_block = false};
  EXPECT_EQ(bytes(idle, two_groups), 0);
  EXPECT_EQ(each(idle, two_groups), Told{});
}

TEST(Volume, OfNeighboursAreTheirBlocks) {
  const Partners edge{.me = 1, .world = {10, 11, 12}, .neighbours = {2, -1, 0}};
  const Moves all{.pattern = Pattern::neighbor_alltoall};
  EXPECT_EQ(bytes(all, edge), 100 + 102) << "nobody is beyond the edge";
  EXPECT_EQ(each(all, edge), (Told{{12, 100}, {10, 102}}));
  const Moves one{.pattern = Pattern::neighbor_allgather};
  EXPECT_EQ(bytes(one, edge), 100);
  EXPECT_EQ(each(one, edge), (Told{{12, 100}, {10, 100}}));
}

TEST(Volume, OfACollectiveOfNobodyKnowsWhomIsUnknown) {
  EXPECT_EQ(bytes({.pattern = Pattern::alltoall}, {}), -1);
  EXPECT_EQ(each({.pattern = Pattern::alltoall}, {}), Told{});
}

}  // namespace
}  // namespace heddle::report::volume_test
