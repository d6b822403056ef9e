// Collectives between two groups: 3 ranks on the left, the rest on the right. A rank receives only
// from the other group.
#include <algorithm>
#include <memory>

#include "support/rounds.hpp"

namespace heddle::test::intercomm_tests {
namespace {

struct Bridge {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, mine = 0, others = 0;  ///< Rank in the own group, sizes of both groups.
  bool left = false;

  explicit Bridge(const Team& team) {
    const int border = std::min(3, team.size - 1);
    left = team.rank < border;
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_split(team.comm, left, team.rank, &own);
    MPI_Intercomm_create(own, 0, team.comm, left ? border : 0, 5, &comm);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &mine);
    MPI_Comm_remote_size(comm, &others);
    MPI_Comm_free(&own);
  }
  ~Bridge() { MPI_Comm_free(&comm); }
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  /// Ranks of the left group are 0, 1, ... Ranks of the right group are 100, 101, ...
  [[nodiscard]] int name(int r) const { return left ? r : 100 + r; }
  [[nodiscard]] int other(int r) const { return left ? 100 + r : r; }
};

/// In a rooted procedure the root sends or receives for its whole group.
struct Rooted {
  int argument;  ///< The root argument of this rank.
  bool root, other_side;
};
Rooted rooted(const Bridge& bridge, bool root_left, int root) {
  if (bridge.left == root_left) {
    const bool me = bridge.rank == root % bridge.mine;
    return {me ? MPI_ROOT : MPI_PROC_NULL, me, false};
  }
  return {root % bridge.others, false, true};
}
int name_of_root(const Bridge& bridge, bool root_left, int root) {
  const int group = bridge.left == root_left ? bridge.mine : bridge.others;
  return (root_left ? 0 : 100) + root % group;
}

}  // namespace

TEST_EACH_RANKS(2, 6, Intercomm, Rooted) {
  const Bridge bridge(team);
  each_round(team, 10, [&](Round& r, int number) {
    const bool root_left = r.common.upto(1) == 1;
    const Rooted role = rooted(bridge, root_left, r.root);
    const int root = name_of_root(bridge, root_left, r.root), me = bridge.name(bridge.rank);
    const Side one = random_side(r.own, r.unit, r.units), many = random_side(r.own, r.unit, r.units);
    {
      Area area(blocks(one, 1), 3);
      const Memory told = r.from(root, 7, area.size(0));
      if (role.root) area.put(0, told);
      EXPECT_EQ(MPI_Bcast(area.base(), one.number(), one.type, role.argument, bridge.comm), MPI_SUCCESS);
      if (role.other_side) area.expect(0, told);
      HOLDS(area, "Bcast of " + to_string(*one.shape));
    }
    {
      Area leaf(blocks(one, 1), 3), all(blocks(many, bridge.others), 4);
      if (role.other_side) leaf.put(0, r.from(me, root, leaf.size(0)));
      EXPECT_EQ(
          MPI_Gather(leaf.base(), one.number(), one.type, all.base(), many.number(), many.type, role.argument, bridge.comm),
          MPI_SUCCESS);
      for (int i = 0; role.root && i < bridge.others; ++i)
        all.expect(static_cast<std::size_t>(i), r.from(bridge.other(i), root, all.size(0)));
      HOLDS(all, "Gather of " + to_string(*many.shape));
      HOLDS(leaf, "sent data");
    }
    {
      Area leaf(blocks(one, 1), 3), all(blocks(many, bridge.others), 4);
      for (int i = 0; role.root && i < bridge.others; ++i)
        all.put(static_cast<std::size_t>(i), r.from(root, bridge.other(i), all.size(0)));
      EXPECT_EQ(
          MPI_Scatter(all.base(), many.number(), many.type, leaf.base(), one.number(), one.type, role.argument, bridge.comm),
          MPI_SUCCESS);
      if (role.other_side) leaf.expect(0, r.from(root, me, leaf.size(0)));
      HOLDS(leaf, "Scatter of " + to_string(*one.shape));
      HOLDS(all, "sent data");
    }
  });
}

TEST_EACH_RANKS(2, 6, Intercomm, AllToAll) {
  const Bridge bridge(team);
  each_round(team, 10, [&](Round& r, int number) {
    const int me = bridge.name(bridge.rank);
    const Side one = random_side(r.own, r.unit, r.units), many = random_side(r.own, r.unit, r.units);
    const Side out = random_side(r.own, r.unit, r.units);
    {
      Area sent(blocks(one, 1), 3), got(blocks(many, bridge.others), 4);
      sent.put(0, r.from(me, 7, sent.size(0)));
      EXPECT_EQ(MPI_Allgather(sent.base(), one.number(), one.type, got.base(), many.number(), many.type, bridge.comm),
                MPI_SUCCESS);
      for (int i = 0; i < bridge.others; ++i) got.expect(static_cast<std::size_t>(i), r.from(bridge.other(i), 7, got.size(0)));
      HOLDS(got, "Allgather of " + to_string(*many.shape));
      HOLDS(sent, "sent data");
    }
    {
      Area sent(blocks(out, bridge.others), 3), got(blocks(many, bridge.others), 4);
      for (int i = 0; i < bridge.others; ++i) sent.put(static_cast<std::size_t>(i), r.from(me, bridge.other(i), sent.size(0)));
      EXPECT_EQ(MPI_Alltoall(sent.base(), out.number(), out.type, got.base(), many.number(), many.type, bridge.comm),
                MPI_SUCCESS);
      for (int i = 0; i < bridge.others; ++i) got.expect(static_cast<std::size_t>(i), r.from(bridge.other(i), me, got.size(0)));
      HOLDS(got, "Alltoall of " + to_string(*many.shape));
      HOLDS(sent, "sent data");
    }
    const Side element = random_element(r.own, r.unit), sent_element = random_element(r.own, r.unit);
    {
      std::vector<Count> rows;
      for (int i = 0; i < bridge.others; ++i) rows.push_back(r.volume(bridge.other(i), 7));
      const Spread spread(element, rows, r.own.rarely(2));
      Side mine = element;
      if (Round::types_may_differ())
        mine = random_side(r.own, r.unit, r.volume(me, 7));
      else
        mine.count *= r.volume(me, 7);
      Area sent(blocks(mine, 1), 3), got(spread.blocks, 4);
      sent.put(0, r.from(me, 7, sent.size(0)));
      EXPECT_EQ(MPI_Allgatherv(sent.base(), mine.number(), mine.type, got.base(), spread.counts.data(),
                               spread.displacements.data(), element.type, bridge.comm),
                MPI_SUCCESS);
      for (int i = 0; i < bridge.others; ++i) {
        const auto block = static_cast<std::size_t>(i);
        got.expect(block, r.from(bridge.other(i), 7, got.size(block)));
      }
      HOLDS(got, "Allgatherv of " + to_string(*element.shape));
      HOLDS(sent, "sent data");
    }
    {
      std::vector<Count> outgoing, incoming;
      for (int i = 0; i < bridge.others; ++i) {
        outgoing.push_back(r.volume(me, bridge.other(i)));
        incoming.push_back(r.volume(bridge.other(i), me));
      }
      const Spread to(sent_element, outgoing, false), from(element, incoming, r.own.rarely(2));
      Area sent(to.blocks, 3), got(from.blocks, 4);
      for (int i = 0; i < bridge.others; ++i) {
        const auto block = static_cast<std::size_t>(i);
        sent.put(block, r.from(me, bridge.other(i), sent.size(block)));
        got.expect(block, r.from(bridge.other(i), me, got.size(block)));
      }
      EXPECT_EQ(MPI_Alltoallv(sent.base(), to.counts.data(), to.displacements.data(), sent_element.type, got.base(),
                              from.counts.data(), from.displacements.data(), element.type, bridge.comm),
                MPI_SUCCESS);
      HOLDS(got, "Alltoallv of " + to_string(*element.shape));
      HOLDS(sent, "sent data");
    }
    Mosaic<int> to, from;
    for (int i = 0; i < bridge.others; ++i) {
      to.add(random_side(r.own, r.unit, r.volume(me, bridge.other(i))));
      from.add(random_side(r.own, r.unit, r.volume(bridge.other(i), me)));
    }
    Area sent(to.blocks, 3), got(from.blocks, 4);
    for (int i = 0; i < bridge.others; ++i) {
      const auto block = static_cast<std::size_t>(i);
      sent.put(block, r.from(me, bridge.other(i), sent.size(block)));
    }
    EXPECT_EQ(MPI_Alltoallw(sent.base(), to.counts.data(), to.displacements.data(), to.types.data(), got.base(),
                            from.counts.data(), from.displacements.data(), from.types.data(), bridge.comm),
              MPI_SUCCESS);
    for (int i = 0; i < bridge.others; ++i) {
      const auto block = static_cast<std::size_t>(i);
      got.expect(block, r.from(bridge.other(i), me, got.size(block)));
    }
    HOLDS(got, "Alltoallw");
    HOLDS(sent, "sent data");
  });
}

TEST_RANKS(4, Intercomm, Messages) {
  const Bridge bridge(team);
  const Committed type("vector(20, 3, 5, int)");
  // 0, 1, 2 on the left, 0 on the right.
  std::vector<int> numbers(100, 100 + bridge.rank);
  if (bridge.left) {
    EXPECT_EQ(MPI_Send(numbers.data(), 1, type, 0, 9, bridge.comm), MPI_SUCCESS);
    return;
  }
  for (int i = 0; i < 3; ++i) {
    std::vector<int> got(100, -1);
    MPI_Status status;
    EXPECT_EQ(MPI_Recv(got.data(), 1, type, MPI_ANY_SOURCE, 9, bridge.comm, &status), MPI_SUCCESS);
    EXPECT_EQ(got[0], 100 + status.MPI_SOURCE);
    EXPECT_EQ(got[3], -1);
  }
}

}  // namespace heddle::test::intercomm_tests
