// schedule/alltoallv/two_level.cpp: one message from node to node. The node's members share the
// work.
//
//   1  on the node      each rank gives member j all data for the nodes of member j
//   2  between nodes    member j of node A sends all data of A for each of these nodes to member j of that node
//   3  on the node      each rank gives every other member its data: received data and own data
//
// A node orders the other nodes around the ring, from the next node on. Each of its members gets an
// equal stretch of them. The number of working members is the emptiest node's (if that is one: a
// leader), so that both ends of a message agree on the members. Cost: each node has nodes - 1
// messages between nodes; direct messages would be members² times as many. A rank has
// (nodes - 1) / members of them. Each byte moves three times, once between nodes.
#include "schedule/two_level.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

constexpr Count together = most;  ///< Messages in one round, each way.

Count in_rounds(Count messages) { return (messages + together - 1) / together; }

/// The nodes of each member.
struct Shares {
  explicit Shares(const Nodes& nodes)
      : workers(nodes.smallest()), others(nodes.count() - 1), share((others + workers - 1) / workers) {}

  [[nodiscard]] Rank first(Rank worker) const { return static_cast<Rank>(std::min<Count>(Count{worker} * share, others)); }
  [[nodiscard]] Rank size(Rank worker) const { return worker < workers ? first(worker + 1) - first(worker) : 0; }

  Rank workers;
  Rank others;
  Rank share;
};

Count rounds(const Place& place) {
  const Count on_node = in_rounds(place.nodes->largest() - 1);
  return on_node + in_rounds(Shares(*place.nodes).share) + on_node;
}

Round round(const Place& place, Rank rank, Count k) {
  const Nodes& nodes = *place.nodes;
  const Shares shares(nodes);
  const Rank node = nodes.of(rank);
  const Rank members = nodes.members(node);
  const Rank mine = nodes.local(rank);
  const Count on_node = in_rounds(nodes.largest() - 1);
  const Count between = in_rounds(shares.share);
  Round round;

  if (k >= on_node && k < on_node + between) {
    const Rank size = shares.size(mine);
    const Count begin = (k - on_node) * together;
    for (Count i = begin; i < std::min<Count>(begin + together, size); ++i) {
      const Count away = shares.first(mine) + i + 1;
      const Rank to = around(node + away, nodes.count());
      const Rank from = around(node - away, nodes.count());
      round.send(nodes.member(to, mine), of_nodes(nodes, to, 1));
      round.receive(nodes.member(from, mine), of_nodes(nodes, node, 1));
    }
    return round;
  }

  const bool before = k < on_node;
  const Count begin = (before ? k : k - on_node - between) * together + 1;
  for (Count away = begin; away < std::min<Count>(begin + together, members); ++away) {
    const Rank to = around(mine + away, members);
    const Rank from = around(mine - away, members);
    if (before) {
      const auto looked_after = [&](Rank worker) {
        return of_nodes(nodes, std::int64_t{node} + 1 + shares.first(worker), shares.size(worker));
      };
      if (shares.size(to) > 0) round.send(nodes.member(node, to), looked_after(to));
      if (shares.size(mine) > 0) round.receive(nodes.member(node, from), looked_after(mine));
    } else {
      round.send(nodes.member(node, to), Ranks::one(nodes.member(node, to), place.ranks));
      round.receive(nodes.member(node, from), Ranks::one(rank, place.ranks));
    }
  }
  return round;
}

}  // namespace

constinit const Algorithm alltoallv_two_level{
    .name = "two-level",
    .description = "one message from node to node, shared out to the members; before and after, messages on the node",
    .when = "several ranks a node, every rank has a little for every rank",
    .rounds = rounds,
    .round = round,
    .by_node = true,
};

}  // namespace heddle::schedule
