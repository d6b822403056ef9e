// schedule/allgatherv/two_level.cpp: blocks go up to the node's leader, among leaders, and down
// again.
//
//   node A   a b c d      gather:   d → c, b → a; c → a         binomial, within each node
//   node B   e f g        leaders:  a ⇄ e ⇄ ...                 dissemination over nodes, all blocks of a node together
//                         spread:   a → c; a → b, c → d         binomial; all blocks that the receiver had not gathered
//
// Cost: (nodes · log2 nodes) messages between nodes, not (P · log2 P), and each block comes to a
// node once. Within a node it takes 2·log2(members)·α. The fullest node decides the number of
// rounds.
#include "schedule/two_level.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

int within(const Place& place) { return logarithm(place.nodes->largest()); }
int among(const Place& place) { return logarithm(place.nodes->count()); }

Count rounds(const Place& place) { return 2LL * within(place) + among(place); }

Round round(const Place& place, Rank rank, Count k) {
  const Nodes& nodes = *place.nodes;
  const Rank node = nodes.of(rank);
  const Rank members = nodes.members(node);
  const Rank mine = nodes.local(rank);
  Round round;

  const bool up = k < within(place);
  if (!up && k < within(place) + among(place)) {
    if (mine != 0) return round;
    const Rank reach = Rank{1} << (k - within(place));
    const Rank blocks = std::min(reach, nodes.count() - reach);
    const auto leader = [&](std::int64_t of) { return nodes.leader(around(of, nodes.count())); };
    round.send(leader(std::int64_t{node} + reach), of_nodes(nodes, std::int64_t{node} - blocks + 1, blocks));
    round.receive(leader(std::int64_t{node} - reach), of_nodes(nodes, std::int64_t{node} - reach - blocks + 1, blocks));
    return round;
  }

  // A tree: `child` stands for the members from itself to the next multiple of 2·reach, and its
  // parent is `reach` before it.
  const std::int64_t reach = 1LL << (up ? k : rounds(place) - 1 - k);
  if (mine % reach != 0) return round;
  const bool is_child = mine / reach % 2 == 1;
  const std::int64_t child = is_child ? mine : mine + reach;
  if (child >= members) return round;
  const Rank other = nodes.member(node, static_cast<Rank>(is_child ? mine - reach : child));
  const auto subtree = static_cast<Rank>(std::min(reach, members - child));
  const std::int64_t first = nodes.start(node) + child;
  const Ranks what = up ? Ranks::interval(first, subtree, place.ranks, &nodes)
                        : Ranks::interval(first + subtree, place.ranks - subtree, place.ranks, &nodes);
  if (is_child == up) {
    round.send(other, what);
  } else {
    round.receive(other, what);
  }
  return round;
}

}  // namespace

constinit const Algorithm allgatherv_two_level{
    .name = "two-level",
    .description = "gathered on each node, log2(nodes) rounds among leaders, spread on each node",
    .when = "several ranks a node, volumes small enough that messages between nodes count",
    .rounds = rounds,
    .round = round,
    .by_node = true,
};

}  // namespace heddle::schedule
