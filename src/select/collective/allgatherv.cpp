// select/collective/allgatherv.cpp: the costs of each Allgatherv algorithm for given volumes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "schedule/algorithms.hpp"
#include "select/collective/choose_collective.hpp"

namespace heddle::select {
namespace {

using schedule::logarithm;

struct Maker {
  explicit Maker(const AllgathervFacts& known)
      : facts(known),
        total(static_cast<double>(known.volumes.total)),
        largest(static_cast<double>(known.volumes.largest)),
        spread(known.nodes > 1) {}

  /// A bound for the bytes of so many blocks: all bytes, or `blocks` times the largest block.
  [[nodiscard]] double at_most(double blocks) const { return std::min(total, blocks * largest); }

  [[nodiscard]] Candidate begun(const Algorithm& algorithm, int radix = 2) const {
    Candidate choice{.algorithm = &algorithm, .radix = radix};
    choice.work = total;
    return choice;
  }
  void add(const Candidate& choice) { candidates.push(timed(choice, facts)); }

  /// Rounds wait for each other, so each round takes the time of its largest block. This is nearly
  /// always the largest of all blocks.
  void ring() {
    Candidate choice = begun(schedule::allgatherv_ring);
    Load& load = spread ? choice.network : choice.node;
    load.rounds = load.messages = facts.ranks - 1;
    load.bytes = load.rounds * largest;
    add(choice);
  }

  /// Steps of a radix. The ranks of a node count as neighbours. Long steps of all members leave the
  /// node at the same time. Every step of the last member leaves it. If one rank has most data, all
  /// ranks that have received the data send them on. Their number is the length of the step. If the
  /// step is shorter than a node, half of these ranks are near enough to the node's end.
  void steps(const Algorithm& algorithm, int radix) {
    Candidate choice = begun(algorithm, radix);
    for (double reach = 1; reach < facts.ranks; reach *= radix) {
      bool leaves = false;
      for (double away = reach; away < reach * radix && away < facts.ranks; away += reach) {
        const bool far = spread && 2 * away > facts.members;
        leaves = leaves || far;
        Load& load = far ? choice.network : choice.node;
        ++load.messages;
        const double blocks = std::min(reach, facts.ranks - away);
        load.bytes += far ? leaving(blocks, away) : at_most(blocks);
      }
      ++(leaves ? choice.network : choice.node).rounds;
    }
    if (spread && choice.node.rounds > 0) {
      for (Load* load : {&choice.node, &choice.network}) {
        const double one = load == &choice.node ? -1 : 1;
        load->rounds += one;
        load->messages += one;
      }
    }
    // Blocks that go around from the last ranks to the first lie in two pieces.
    if (spread && &algorithm == &schedule::allgatherv_dissemination) ++choice.network.messages;
    add(choice);
  }

  /// Bytes that leave a node when all its members send so many blocks over this distance. It adds
  /// the largest block and the others.
  [[nodiscard]] double leaving(double blocks, double away) const {
    const double others = (total - largest) / facts.ranks;
    const double with_largest = std::min(away < facts.members ? away / 2 : away, static_cast<double>(facts.members));
    return std::min<double>(away, facts.members) * blocks * others + with_largest * std::max(0.0, largest - others);
  }

  /// Long segments fill the pipeline slowly; each short segment costs a message.
  [[nodiscard]] Bytes best_segment() const {
    const Link& link = spread ? facts.links->network : facts.links->node;
    const double best = std::sqrt(total * link.message / (hops() * link.byte));
    constexpr double least = 4096;
    constexpr double most = 1 << 20;
    return static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp(best, least, most))));
  }
  [[nodiscard]] double hops() const { return std::max(1, facts.ranks - 2); }

  /// Every link carries all data once.
  void pipelined_ring(Bytes segment) {
    if (facts.volumes.largest <= segment) return;  // no block is cut
    Candidate choice = begun(schedule::allgatherv_pipelined_ring);
    choice.segment = segment;
    Load& load = spread ? choice.network : choice.node;
    load.rounds = facts.ranks - 1;
    load.messages = load.rounds + total / static_cast<double>(segment);
    load.bytes = total + hops() * static_cast<double>(segment);
    load.stream = true;
    // A rank that shares a core needs a turn for every segment that passes.
    if (facts.crowding > 1) load.rounds = load.messages;
    add(choice);
  }

  void two_level() {
    Candidate choice = begun(schedule::allgatherv_two_level);
    const int within = logarithm(facts.members);
    choice.node.rounds = 2 * within;
    choice.node.messages = 3 * within;  // missing blocks lie before and behind the blocks that a member had
    choice.node.bytes = at_most(facts.members) + within * total;
    for (double reach = 1; reach < facts.nodes; reach *= 2) {
      ++choice.network.rounds;
      ++choice.network.messages;
      choice.network.bytes += at_most(std::min(reach, facts.nodes - reach) * facts.members);
    }
    add(choice);
  }

  const AllgathervFacts& facts;
  double total;
  double largest;
  bool spread;  ///< The ranks are on several nodes.
  Candidates candidates;
};

/// Up to this sum of volumes, libraries that choose by the sum use the algorithm with the fewest
/// rounds.
constexpr Bytes short_sum = 80 << 10;

}  // namespace

Candidates candidates_allgatherv(const AllgathervFacts& facts) {
  Maker all(facts);
  all.ring();
  if (facts.ranks <= 2) return all.candidates;
  // Recursive doubling is for powers of two. Its blocks always lie in one piece.
  if (std::has_single_bit(static_cast<std::uint32_t>(facts.ranks))) all.steps(schedule::allgatherv_recursive_doubling, 2);
  for (const int radix : {2, 4, 8, 16})
    if (radix == 2 || radix / 2 < facts.ranks) all.steps(schedule::allgatherv_dissemination, radix);
  all.pipelined_ring(all.best_segment());
  if (facts.nodes > 1 && facts.members > 1) all.two_level();
  return all.candidates;
}

Candidate choose_allgatherv(const AllgathervFacts& facts) { return quickest(candidates_allgatherv(facts)); }

Candidate by_sum_allgatherv(const AllgathervFacts& facts) {
  constexpr Bytes long_sum = 512 << 10;
  constexpr Bytes segment = 32 << 10;
  Maker one(facts);
  const Bytes sum = facts.volumes.total;
  if (sum < long_sum && std::has_single_bit(static_cast<std::uint32_t>(facts.ranks))) {
    one.steps(schedule::allgatherv_recursive_doubling, 2);
  } else if (sum < short_sum) {
    one.steps(schedule::allgatherv_dissemination, 2);
  } else {
    one.pipelined_ring(segment);
    if (one.candidates.empty()) one.ring();
  }
  return one.candidates[0];
}

bool sum_will_do(const AllgathervFacts& facts, const Candidate& chosen) {
  constexpr double ahead = 1.4;
  return facts.sum_host && facts.crowding > 1 &&
         (facts.volumes.total < short_sum || by_sum_allgatherv(facts).ns < ahead * chosen.ns);
}

std::string why_allgatherv(const AllgathervFacts& facts) {
  const Volumes& seen = facts.volumes;
  std::string about =
      fmt::format("{} B in all from {} of {} ranks, the largest {} B", seen.total, seen.partners, seen.count, seen.largest);
  if (seen.outlier_ratio() > 2)
    about += fmt::format(", {:.0f} times the size that nine in ten do not exceed ({} B)", seen.outlier_ratio(), seen.bulk);
  const Candidate by_sum = by_sum_allgatherv(facts);
  const bool left = sum_will_do(facts, choose_allgatherv(facts));
  return explain(candidates_allgatherv(facts), about, facts) +
         fmt::format("; by the sum alone it would be {}, {:.1f} us", by_sum.algorithm->name, by_sum.ns / 1e3) +
         (left ? "; MPICH, which goes by the sum, carries out this call itself" : "");
}

}  // namespace heddle::select
