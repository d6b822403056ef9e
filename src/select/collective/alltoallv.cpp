// select/collective/alltoallv.cpp: what each Alltoallv, and each sparse exchange, costs for what has been agreed on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schedule/algorithms.hpp"
#include "select/collective/choose.hpp"

namespace heddle::select {
namespace {

using schedule::logarithm;

constexpr double heading = 16;  // bytes, of a block in a bundle: from whom, for whom, how long

/// The part of a rank's data that leaves its node.
double leaving(const AlltoallvFacts& facts) {
  if (facts.nodes == 1) return 0;
  return facts.leaving >= 0 ? facts.leaving : static_cast<double>(facts.ranks - facts.members) / (facts.ranks - 1);
}

Way direct(const AlltoallvFacts& facts, const Algorithm& algorithm = schedule::alltoallv_direct) {
  Way way{.algorithm = &algorithm};
  const double off = leaving(facts);
  const double messages = facts.most_partners;
  way.node.messages = messages * (1 - off);
  way.node.bytes = static_cast<double>(facts.most_bytes) * (1 - off);
  way.network.messages = messages * off;
  way.network.bytes = std::max(static_cast<double>(facts.most_bytes), facts.bytes * facts.members) * off;
  (off > 0 ? way.network : way.node).rounds = messages > 0 ? 1 : 0;
  way.work = facts.bytes;
  return way;
}

/// Messages of the rounds of a radix, the first `far` of them apart: the last round of all may have fewer than the others.
struct Rounds {
  Rounds(Rank ranks, int radix, int far) {
    int round = 0;
    for (Rank size = ranks; size > 1; ++round) {
      const Rank parts = std::min<Rank>(radix, size);
      (round < far ? far_messages : near_messages) += parts - 1;
      even = even && size % parts == 0;
      size = (size + parts - 1) / parts;
    }
  }
  double far_messages = 0, near_messages = 0;
  bool even = true;  ///< All parts are of one size: nobody gets two bundles of one part.
};

/// Crystal and Bruck: in each round all but the radix-th part of what a rank holds goes on. `balanced`: one partner for each
/// digit.
Way in_rounds(const AlltoallvFacts& facts, const Algorithm& algorithm, int radix, bool balanced) {
  Way way{.algorithm = &algorithm, .radix = radix};
  const int all = logarithm(facts.ranks, radix);
  const int far = std::min(all, logarithm(facts.nodes, radix));
  // All but the radix-th part in each round if destinations are anywhere; neighbours are not far. But what crosses for them
  // meets in the ranks at the border of two parts, and these are waited for: about half as much again.
  constexpr double border = 1.5;
  const double mean = balanced || facts.hops <= 0 ? 1 : facts.hops / (0.5 * logarithm(facts.ranks));
  const double near = mean < 1 ? std::min(1.0, border * mean) : mean;
  const double part = (1 - 1.0 / radix) * std::min(near, 2.0);
  const double each = facts.bytes + facts.partners * heading;
  // One rank's large volume does not get smaller by being bundled.
  const double most = std::max(each, static_cast<double>(facts.most_bytes) + facts.most_partners * heading);
  const auto load = [&](int rounds, double messages, double bytes) {
    // Bruck's last round counts as a full one, as the figures of shared cores have been solved from.
    if (balanced) messages = rounds * (std::min<double>(radix, facts.ranks) - 1);
    return Load{static_cast<double>(rounds), messages, rounds * part * bytes};
  };
  const Rounds rounds(facts.ranks, radix, far);
  const double twice = rounds.even ? 1 : 1.2;
  way.node = load(all - far, rounds.near_messages * twice, most);
  way.network = load(far, rounds.far_messages * twice, std::max(most, each * facts.members) * leaving(facts));
  way.blocks = all * part * facts.partners;
  way.copied = all * part * each;
  way.work = all * part * each;
  way.regrouped = all;
  return way;
}

Way two_level(const AlltoallvFacts& facts) {
  Way way{.algorithm = &schedule::alltoallv_two_level};
  const double each = facts.bytes + facts.partners * heading;
  way.node = {2, 2.0 * (facts.members - 1), 2 * std::max(each, static_cast<double>(facts.most_bytes))};
  way.network = {1, std::ceil((facts.nodes - 1.0) / facts.members), each * facts.members * leaving(facts)};
  way.blocks = 3 * facts.partners;
  way.copied = 2 * each;
  way.work = 3 * each;
  way.regrouped = 3;
  return way;
}

void add_bundles(Ways& ways, const AlltoallvFacts& facts, const Algorithm& algorithm, bool balanced) {
  for (const int radix : {2, 4, 8})
    if (radix == 2 || radix / 2 < facts.ranks) ways.push(timed(in_rounds(facts, algorithm, radix, balanced), facts));
}

std::string about(const AlltoallvFacts& facts) {
  return fmt::format("{:.0f} of {} ranks are partners of one on average (up to {}), {:.0f} B for them (up to {} B)",
                     facts.partners, facts.ranks, facts.most_partners, facts.bytes, facts.most_bytes);
}

}  // namespace

bool all_in_mailboxes(const AlltoallvFacts& facts) noexcept {
  return facts.nodes == 1 && facts.bytes > 0 && facts.largest_block > 0 && facts.largest_block <= facts.mailboxes;
}

Ways ways_alltoallv(const AlltoallvFacts& facts) {
  Ways ways;
  ways.push(timed(direct(facts), facts));
  // Bruck's bundles are even if everybody has about as much for everybody; crystal's are fewer pieces if not.
  const double mean = facts.partners > 0 ? facts.bytes / facts.partners : 0;
  const bool dense = facts.partners * 2 >= facts.ranks && static_cast<double>(facts.largest_block) <= 4 * mean;
  add_bundles(ways, facts, dense ? schedule::alltoallv_bruck : schedule::alltoallv_crystal, dense);
  if (facts.nodes > 1 && facts.members > 1) ways.push(timed(two_level(facts), facts));
  return ways;
}

Way choose_alltoallv(const AlltoallvFacts& facts) {
  return all_in_mailboxes(facts) ? timed(direct(facts), facts) : quickest(ways_alltoallv(facts));
}
std::string why_alltoallv(const AlltoallvFacts& facts) {
  if (all_in_mailboxes(facts))
    return fmt::format("direct: blocks of up to {} bytes go to ranks of the node without messages, so that bundles save none",
                       facts.mailboxes);
  return explain(ways_alltoallv(facts), about(facts), facts);
}

Ways ways_exchange(const AlltoallvFacts& facts) {
  Ways ways;
  const int doublings = logarithm(facts.ranks);
  const auto also = [&](Way way, double rounds, double bytes) {
    Load& load = facts.nodes > 1 ? way.network : way.node;
    load.rounds += rounds;
    load.messages += rounds;
    load.bytes += bytes;
    ways.push(timed(way, facts));
  };
  // Counts: log2 P rounds with half of P numbers each.
  constexpr double number = 8;
  also(direct(facts, schedule::exchange_counts), doublings, doublings * facts.ranks * number / 2);
  // What nobody expects is copied once more, if it is short; the answer to a synchronous send, then the barrier.
  constexpr double eager = 16 << 10;
  Way consensus = direct(facts, schedule::exchange_consensus);
  consensus.copied = std::min(static_cast<double>(facts.most_bytes), eager * facts.most_partners);
  also(consensus, 1 + doublings, 0);
  add_bundles(ways, facts, schedule::exchange_crystal, false);
  return ways;
}

Way choose_exchange(const AlltoallvFacts& facts) { return quickest(ways_exchange(facts)); }
std::string why_exchange(const AlltoallvFacts& facts) { return explain(ways_exchange(facts), about(facts), facts); }

}  // namespace heddle::select
