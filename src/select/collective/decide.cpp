// select/collective/decide.cpp: the cases in their order, and the reasons in words.
#include "select/collective/decide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/algorithms.hpp"
#include "select/collective/cadence.hpp"

namespace heddle::select {
namespace {

Reason by_model(const Candidate& choice, const Candidates& candidates) noexcept {
  return choice.ns > least(candidates).ns ? Reason::simpler : Reason::least;
}

/// The quickest candidate of that name. If there is none, a candidate without figures.
Candidate named(std::string_view name, std::span<const Algorithm* const> table, const Candidates& candidates) noexcept {
  const Candidate* found = nullptr;
  for (const Candidate& choice : candidates)
    if (choice.algorithm->name == name && (!found || choice.ns < found->ns)) found = &choice;
  return found ? *found : Candidate{.algorithm = schedule::find(table, name)};
}

}  // namespace

const Candidate& least(const Candidates& candidates) noexcept {
  return *std::ranges::min_element(candidates, {}, &Candidate::ns);
}

Bytes worth_gathering(const Where& where, bool slow_host) noexcept {
  const bool lengthy = slow_host && where.crowding > 1 && where.ranks > 2;
  return lengthy ? 1 : worth_gathering_anywhere;
}

Decision decide_allgatherv(const AllgathervFacts& facts, std::string_view wanted) {
  if (wanted == "native") return {{}, Reason::wanted};
  const Bytes total = facts.volumes.total;
  if (total == 0 || (wanted == "auto" && total < worth_gathering(facts, facts.slow_host))) return {{}, Reason::little};
  const Candidates candidates = candidates_allgatherv(facts);
  Candidate choice = quickest(candidates);
  if (wanted == "auto")
    return sum_will_do(facts, choice) ? Decision{{}, Reason::by_sum} : Decision{choice, by_model(choice, candidates)};
  choice.algorithm = schedule::find(schedule::allgatherv(), wanted);
  constexpr Bytes usual_segment = 32 << 10;
  choice.segment = choice.algorithm == &schedule::allgatherv_pipelined_ring ? usual_segment : 0;
  return {choice, Reason::wanted};
}

Decision decide_alltoallv(const AlltoallvFacts& facts, std::string_view wanted) {
  if (wanted == "native") return {{}, Reason::wanted};
  const Candidates candidates = candidates_alltoallv(facts);
  if (wanted != "auto") return {named(wanted, schedule::alltoallv(), candidates), Reason::wanted};
  const Candidate direct = named("direct", schedule::alltoallv(), candidates);
  const auto unless_least = [&](Reason reason) {
    return Decision{direct, direct.ns > least(candidates).ns ? reason : Reason::least};
  };
  if (facts.ranks < Cadence::least_ranks) return unless_least(Reason::few_ranks);
  if (all_in_mailboxes(facts)) return unless_least(Reason::mailboxes);
  const Candidate choice = choose_alltoallv(facts);
  return {choice, by_model(choice, candidates)};
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
  const Candidates candidates = candidates_exchange(facts);
  if (wanted != "auto") return {named(wanted, schedule::exchange(), candidates), Reason::wanted};
  const Candidate chosen = choose_exchange(typical_exchange(facts));
  const auto* here = std::ranges::find_if(candidates, [&](const Candidate& choice) {
    return choice.algorithm == chosen.algorithm && choice.radix == chosen.radix;
  });
  if (here == candidates.end()) return {chosen, Reason::typical};
  return {*here, here->ns > least(candidates).ns ? Reason::typical : Reason::least};
}

std::string because(const Decision& decision, const Candidates& candidates, std::string_view said) {
  const Candidate& first = least(candidates);
  const Candidate& choice = decision.choice;
  switch (decision.reason) {
    case Reason::least:
      return {};
    case Reason::simpler:
      return fmt::format("{} takes only {:.0f} % less by the model, which is within its error: {} is simpler", title_of(first),
                         100 * (1 - first.ns / choice.ns), title_of(choice));
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
