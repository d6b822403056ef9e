// select/collective/decide.cpp
#include "select/collective/decide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/algorithms.hpp"
#include "select/collective/cadence.hpp"

namespace heddle::select {
namespace {

Reason by_model(const Way& way, const Ways& ways) noexcept { return way.ns > least(ways).ns ? Reason::simpler : Reason::least; }

/// The quickest way of that name. If the candidates lack it, a way without figures.
Way named(std::string_view name, std::span<const Algorithm* const> table, const Ways& ways) noexcept {
  const Way* found = nullptr;
  for (const Way& way : ways)
    if (way.algorithm->name == name && (!found || way.ns < found->ns)) found = &way;
  return found ? *found : Way{.algorithm = schedule::find(table, name)};
}

}  // namespace

const Way& least(const Ways& ways) noexcept { return *std::ranges::min_element(ways, {}, &Way::ns); }

Bytes worth_gathering(const Where& where, bool slow_host) noexcept {
  const bool lengthy = slow_host && where.crowding > 1 && where.ranks > 2;
  return lengthy ? 1 : worth_gathering_anywhere;
}

Decision decide_allgatherv(const AllgathervFacts& facts, std::string_view wanted) {
  if (wanted == "native") return {{}, Reason::wanted};
  const Bytes total = facts.volumes.total;
  if (total == 0 || (wanted == "auto" && total < worth_gathering(facts, facts.slow_host))) return {{}, Reason::little};
  const Ways ways = ways_allgatherv(facts);
  Way way = quickest(ways);
  if (wanted == "auto") return sum_will_do(facts, way) ? Decision{{}, Reason::by_sum} : Decision{way, by_model(way, ways)};
  way.algorithm = schedule::find(schedule::allgatherv(), wanted);
  constexpr Bytes usual_segment = 32 << 10;
  way.segment = way.algorithm == &schedule::allgatherv_pipelined_ring ? usual_segment : 0;
  return {way, Reason::wanted};
}

Decision decide_alltoallv(const AlltoallvFacts& facts, std::string_view wanted) {
  if (wanted == "native") return {{}, Reason::wanted};
  const Ways ways = ways_alltoallv(facts);
  if (wanted != "auto") return {named(wanted, schedule::alltoallv(), ways), Reason::wanted};
  const Way direct = named("direct", schedule::alltoallv(), ways);
  const auto unless_least = [&](Reason reason) {
    return Decision{direct, direct.ns > least(ways).ns ? reason : Reason::least};
  };
  if (facts.ranks < Cadence::least_ranks) return unless_least(Reason::few_ranks);
  if (all_in_mailboxes(facts)) return unless_least(Reason::mailboxes);
  const Way way = choose_alltoallv(facts);
  return {way, by_model(way, ways)};
}

AlltoallvFacts typical_exchange(const Where& where) noexcept {
  AlltoallvFacts facts;
  static_cast<Where&>(facts) = where;
  facts.most_partners = std::min(where.ranks - 1, 26);
  facts.partners = facts.most_partners;
  facts.largest_block = 1 << 10;
  facts.most_bytes = facts.most_partners * facts.largest_block;
  facts.bytes = static_cast<double>(facts.most_bytes);
  return facts;
}

Decision decide_exchange(const AlltoallvFacts& facts, std::string_view wanted) {
  const Ways ways = ways_exchange(facts);
  if (wanted != "auto") return {named(wanted, schedule::exchange(), ways), Reason::wanted};
  const Way chosen = choose_exchange(typical_exchange(facts));
  const auto* here = std::ranges::find_if(
      ways, [&](const Way& way) { return way.algorithm == chosen.algorithm && way.radix == chosen.radix; });
  if (here == ways.end()) return {chosen, Reason::typical};
  return {*here, here->ns > least(ways).ns ? Reason::typical : Reason::least};
}

std::string because(const Decision& decision, const Ways& ways, std::string_view said) {
  const Way& first = least(ways);
  const Way& way = decision.way;
  switch (decision.reason) {
    case Reason::least:
      return {};
    case Reason::simpler:
      return fmt::format("{} takes only {:.0f} % less by the model, which is within its error: {} is simpler", title_of(first),
                         100 * (1 - first.ns / way.ns), title_of(way));
    case Reason::wanted:
      return fmt::format("set by {}; by the model {} takes least", said.empty() ? "a variable or a hint" : said,
                         title_of(first));
    case Reason::little:
      return "the MPI library gathers so few bytes as fast";
    case Reason::by_sum:
      return "ranks share cores: MPICH's own algorithm, by the sum of the volumes, waits for fewer turns, and no way of Heddle "
             "is clearly faster";
    case Reason::mailboxes:
      return "blocks this short go to ranks of the node without messages, so bundles save no messages";
    case Reason::few_ranks:
      return fmt::format("below {} ranks blocks go pair by pair: log2 P rounds are hardly fewer than P - 1 messages",
                         Cadence::least_ranks);
    case Reason::typical:
      return "Heddle chooses once for a communicator, for up to 26 partners and 1 KiB each, because the volumes are not known";
  }
  return {};
}

}  // namespace heddle::select
