#include "select/collective/topology.hpp"

#include <gtest/gtest.h>

#include "select/collective/mailbox_sizes.hpp"

namespace heddle::select::topology_test {
namespace {

TEST(Topology, CountsNodesAndTheirRanks) {
  const Topology around = topology_of({4, 4, 9, 4, 9}, 2, false, builtin_links);
  EXPECT_EQ(around.nodes.count(), 2);
  EXPECT_EQ(around.where.ranks, 5);
  EXPECT_EQ(around.where.nodes, 2);
  EXPECT_EQ(around.where.members, 3);
  EXPECT_EQ(around.where.crowding, 1.5);
  EXPECT_EQ(around.where.links, &builtin_links);
}

TEST(Topology, ARankWhoseNodeIsNotKnownIsAlone) {
  const Topology around = topology_of({-1, 0, -1, 0}, 8, false, builtin_links);
  EXPECT_EQ(around.where.nodes, 3);
  EXPECT_EQ(around.where.members, 2);
  EXPECT_EQ(around.where.crowding, 1.0) << "more cores than ranks help nobody";
}

TEST(Topology, MailboxesAreOfTheFullestNode) {
  EXPECT_EQ(topology_of({0, 0, 0, 1}, 4, true, builtin_links).where.mailboxes, mailbox_sizes(2).longest);
  EXPECT_EQ(topology_of({0, 0, 0, 1}, 4, false, builtin_links).where.mailboxes, 0);
}

}  // namespace
}  // namespace heddle::select::topology_test
