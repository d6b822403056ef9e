// select/collective/alltoallv.cpp: the costs of each Alltoallv algorithm, and of each sparse
// exchange, for the agreed facts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schedule/algorithms.hpp"
#include "select/collective/choose_collective.hpp"

namespace heddle::select {
namespace {

using schedule::logarithm;

constexpr double heading = 16;  // bytes for a block in a bundle: origin, destination, length
/// A correction for a node's bytes in a round. The model takes all its ranks to be as busy as the
/// busiest rank, and waits for the last byte. Walks of all ranks (estimate.hpp) give this part of
/// that time.
constexpr double not_all = 0.75;

/// The part of a rank's data that leaves its node.
double leaving(const AlltoallvFacts& facts) {
  if (facts.nodes == 1) return 0;
  return facts.leaving >= 0 ? facts.leaving : static_cast<double>(facts.ranks - facts.members) / (facts.ranks - 1);
}

Candidate direct(const AlltoallvFacts& facts, const Algorithm& algorithm = schedule::alltoallv_direct) {
  Candidate choice{.algorithm = &algorithm};
  const double off = leaving(facts);
  const double messages = facts.most_partners;
  choice.network.messages = off > 0 ? std::max(std::min(messages, 1.0), messages * off) : 0;
  choice.node.messages = messages - choice.network.messages;
  choice.node.bytes = static_cast<double>(facts.most_bytes) * (1 - off);
  choice.network.bytes = std::max(static_cast<double>(facts.most_bytes), facts.bytes * facts.members) * off;
  (off > 0 ? choice.network : choice.node).rounds = messages > 0 ? 1 : 0;
  choice.work = facts.bytes;
  return choice;
}

/// Messages of the rounds of a radix. The first `far` rounds count separately. The last round may
/// have fewer messages than the others.
struct Rounds {
  Rounds(Rank ranks, int radix, int far) {
    int round = 0;
    for (Rank size = ranks; size > 1; ++round) {
      const Rank parts = std::min<Rank>(radix, size);
      // If a part has one rank less than another, one of its ranks gets two bundles. Receiving is
      // half of a message.
      const double second = 0.5 * std::min<Rank>(size % parts, parts - 1);
      (round < far ? far_messages : near_messages) += parts - 1 + second;
      even = even && size % parts == 0;
      size = (size + parts - 1) / parts;
    }
  }
  double far_messages = 0, near_messages = 0;
  bool even = true;  ///< All parts have the same size, so no rank gets two bundles from a part.
};

/// The agreed travel for a radix.
Travel agreed_travel(const AlltoallvFacts& facts, int radix) {
  return facts.travel[static_cast<std::size_t>(std::ranges::find(radices, radix) - radices.begin())];
}

/// The travel for random destinations: in each round, all but the radix-th part goes on.
Travel travel_anywhere(const AlltoallvFacts& facts, int radix, int rounds, int far_rounds) {
  const double part = 1 - 1.0 / radix;
  const double off = leaving(facts);
  return {.hops = rounds * part,
          .far = far_rounds * part * off,
          .most = static_cast<Bytes>(rounds * part * std::max(facts.bytes, static_cast<double>(facts.most_bytes)))};
}

/// Crystal and Bruck. `balanced`: one partner for each digit.
Candidate in_rounds(const AlltoallvFacts& facts, const Algorithm& algorithm, int radix, bool balanced) {
  Candidate choice{.algorithm = &algorithm, .radix = radix};
  const int all = logarithm(facts.ranks, radix);
  const int far = std::min(all, logarithm(facts.nodes, radix));
  const Travel known = agreed_travel(facts, radix);
  const auto [hops, off, travelled] = balanced || known.hops <= 0 ? travel_anywhere(facts, radix, all, far) : known;
  // Headings travel with the bytes.
  const double each = facts.bytes + facts.partners * heading;
  const double headed = facts.bytes > 0 ? each / facts.bytes : 1;
  const Rounds rounds(facts.ranks, radix, far);
  // A rank that gets two bundles in a round carries on the data of two ranks.
  const double twice = balanced || rounds.even ? 1 : 1.4;
  // Bundling does not make the large volume of one rank smaller.
  const double mean = std::max(1.0, hops * facts.bytes);
  const double most = std::max({hops * facts.bytes, static_cast<double>(facts.most_bytes), static_cast<double>(travelled)});
  const double of_node = std::max(1.0, not_all * most / mean) * off * each * facts.members;
  choice.node = {static_cast<double>(all - far), rounds.near_messages, twice * most * headed * (1 - off / std::max(1.0, hops))};
  choice.network = {static_cast<double>(far), rounds.far_messages, of_node};
  if (balanced) {
    // Bruck's last round counts as a full round, because the figures for shared cores were computed
    // that way.
    const double messages = std::min<double>(radix, facts.ranks) - 1;
    choice.node.messages = (all - far) * messages;
    choice.network.messages = far * messages;
  }
  choice.blocks = twice * most * facts.partners / std::max(1.0, facts.bytes);
  choice.copied = twice * most + facts.bytes;
  choice.work = hops * each;
  choice.regrouped = all;
  return choice;
}

/// Bruck's rounds of radix 2 for few partners. If all partners are near, there are fewer rounds. A
/// rank has one message in each round, and about as many bytes as other ranks.
Candidate by_distance(const AlltoallvFacts& facts) {
  const int near = schedule::bruck_digits({.ranks = facts.ranks, .reach = facts.reach, .stride = facts.stride});
  const Rank stride = near > 0 ? facts.stride : 1;
  const int digits = near > 0 ? near : logarithm(facts.ranks);
  Candidate choice{.algorithm = &schedule::alltoallv_bruck, .reach = near > 0 ? facts.reach : 0, .stride = stride};
  double far = 0;
  double off = 0;   // hops of a block to another node: every second block travels a digit
  double busy = 0;  // hops that all ranks make at the same time
  for (int k = 0; k < digits && facts.nodes > 1; ++k) {
    const double step = std::ldexp(static_cast<double>(stride), k);
    far += 2 * step > facts.members ? 1 : 0;
    (step < facts.members ? off : busy) += 0.5 * std::min(1.0, step / facts.members);
  }
  // Bytes that cross the border of a node on short ways cross it back.
  if (facts.nodes > 1) far = std::max(far, std::min(2.0, static_cast<double>(digits)));
  const double each = facts.bytes + facts.partners * heading;
  const double hops = near > 0 ? facts.ones + digits * facts.behind : 0.5 * digits;
  const double most = std::max(hops * each, static_cast<double>(facts.most_bytes));
  const double leave = std::min(not_all * off + busy, hops);
  choice.node = {digits - far, digits - far, most * (1 - leave / std::max(1.0, hops))};
  choice.network = {far, far, leave * each * facts.members};
  choice.blocks = hops * facts.partners;
  choice.copied = most + facts.bytes;
  choice.work = hops * each;
  choice.regrouped = digits;
  return choice;
}

Candidate two_level(const AlltoallvFacts& facts) {
  Candidate choice{.algorithm = &schedule::alltoallv_two_level};
  const double each = facts.bytes + facts.partners * heading;
  choice.node = {2, 2.0 * (facts.members - 1), 2 * std::max(each, static_cast<double>(facts.most_bytes))};
  choice.network = {1, std::ceil((facts.nodes - 1.0) / facts.members), each * facts.members * leaving(facts)};
  choice.blocks = 3 * facts.partners;
  choice.copied = 2 * each;
  choice.work = 3 * each;
  choice.regrouped = 3;
  return choice;
}

void add_bundles(Candidates& candidates, const AlltoallvFacts& facts, const Algorithm& algorithm, bool balanced) {
  for (const int radix : radices)
    if (radix == 2 || radix / 2 < facts.ranks) candidates.push(timed(in_rounds(facts, algorithm, radix, balanced), facts));
}

std::string about(const AlltoallvFacts& facts) {
  return fmt::format("a rank has on average {:.0f} of {} ranks as partners (up to {}) and {:.0f} B for them (up to {} B)",
                     facts.partners, facts.ranks, facts.most_partners, facts.bytes, facts.most_bytes);
}

}  // namespace

bool all_in_mailboxes(const AlltoallvFacts& facts) noexcept {
  return facts.nodes == 1 && facts.bytes > 0 && facts.largest_block > 0 && facts.largest_block <= facts.mailboxes;
}

Candidates candidates_alltoallv(const AlltoallvFacts& facts) {
  Candidates candidates;
  candidates.push(timed(direct(facts), facts));
  // Bruck's bundles are even if all ranks have about the same for all ranks. Otherwise crystal's
  // have fewer pieces.
  const double mean = facts.partners > 0 ? facts.bytes / facts.partners : 0;
  const bool dense = facts.partners * 2 >= facts.ranks && static_cast<double>(facts.largest_block) <= 4 * mean;
  if (!dense && facts.reach > 0) candidates.push(timed(by_distance(facts), facts));
  add_bundles(candidates, facts, dense ? schedule::alltoallv_bruck : schedule::alltoallv_crystal, dense);
  if (facts.nodes > 1 && facts.members > 1) candidates.push(timed(two_level(facts), facts));
  return candidates;
}

Candidate choose_alltoallv(const AlltoallvFacts& facts) {
  return all_in_mailboxes(facts) ? timed(direct(facts), facts) : quickest(candidates_alltoallv(facts));
}
std::string why_alltoallv(const AlltoallvFacts& facts) {
  if (all_in_mailboxes(facts))
    return fmt::format("direct: blocks of up to {} bytes go to ranks of the node without messages, so bundles save no messages",
                       facts.mailboxes);
  return explain(candidates_alltoallv(facts), about(facts), facts);
}

Candidates candidates_exchange(const AlltoallvFacts& facts) {
  Candidates candidates;
  const int doublings = logarithm(facts.ranks);
  const auto also = [&](Candidate choice, double rounds, double bytes) {
    Load& load = facts.nodes > 1 ? choice.network : choice.node;
    load.rounds += rounds;
    load.messages += rounds;
    load.bytes += bytes;
    candidates.push(timed(choice, facts));
  };
  // Counts: log2 P rounds with half of P numbers each.
  constexpr double number = 8;
  also(direct(facts, schedule::exchange_counts), doublings, doublings * facts.ranks * number / 2);
  // A short unexpected message is copied once more. The answer to a synchronous send, and the
  // barrier, follow.
  constexpr double eager = 16 << 10;
  Candidate consensus = direct(facts, schedule::exchange_consensus);
  consensus.copied = std::min(static_cast<double>(facts.most_bytes), eager * facts.most_partners);
  also(consensus, 1 + doublings, 0);
  add_bundles(candidates, facts, schedule::exchange_crystal, false);
  return candidates;
}

Candidate choose_exchange(const AlltoallvFacts& facts) { return quickest(candidates_exchange(facts)); }
std::string why_exchange(const AlltoallvFacts& facts) { return explain(candidates_exchange(facts), about(facts), facts); }

}  // namespace heddle::select
