// sim/model/task.cpp
#include "model/task.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "schedule/algorithms.hpp"
#include "schedule/nodes.hpp"
#include "select/collective/volume_shares.hpp"

namespace heddle::sim {
namespace {

using select::Candidate;

/// The greatest common divisor of all distances; 0 without partners.
Rank stride_of(const Task& task) {
  Rank stride = 0;
  if (task.bytes > 0)
    for (const Rank ahead : distances(task)) stride = std::gcd(stride, select::distance(0, ahead, task.ranks));
  return stride;
}

/// The facts on which all ranks have agreed.
select::AlltoallvFacts facts_of(const Task& task, const select::Where& where, const Machine& machine) {
  std::vector<Rank> node;
  for (Rank rank = 0; rank < task.ranks; ++rank) node.push_back(machine.node_of(rank));
  const schedule::Nodes nodes(node);
  const std::vector<Rank> away = task.bytes > 0 ? distances(task) : std::vector<Rank>{};
  // With very many ranks, a sample: the ranks around the middle, and some of the others.
  constexpr Rank affordable = 1 << 16;
  const Rank step = std::max(1, task.ranks / affordable);
  const Rank stride = stride_of(task);
  select::Share all;
  for (Rank me = 0; me < task.ranks; me += me < task.ranks / 2 - 64 || me > task.ranks / 2 + 64 ? step : 1) {
    select::Share mine{.stride = stride};
    for (const Rank distance : away) {
      mine.send(me, schedule::around(me + std::int64_t{distance}, task.ranks), task.bytes, task.ranks, &nodes);
      mine.receive(task.bytes);
    }
    all = joined(all, mine);
  }
  select::AlltoallvFacts facts = agreed(all, where);
  facts.partners = static_cast<double>(away.size());
  facts.bytes = facts.partners * static_cast<double>(task.bytes);
  return facts;
}

Candidate chosen(const Task& task, const Machine& machine) {
  const select::Links links = links_of(machine, task.ranks);
  const select::Where where{.ranks = task.ranks,
                            .nodes = machine.nodes_of(task.ranks),
                            .members = std::min(machine.members, task.ranks),
                            .links = &links};
  if (!task.gathers) {
    // Every algorithm sends blocks of this size directly (engine/exchange/routed.cpp).
    if (task.bytes >= task.router.value_or(settings::Router{}).straight_from())
      return {.algorithm = &schedule::alltoallv_direct};
    return select::choose_alltoallv(facts_of(task, where, machine));
  }
  select::Spread spread;
  const select::AllgathervFacts facts{where, spread.of(task.ranks, [&](Rank of) { return volume(task, of); })};
  if (task.algorithm == "by-sum") return select::by_sum_allgatherv(facts);
  return select::choose_allgatherv(facts);
}

}  // namespace

Task task_from(const Json& text) {
  Task task;
  const std::string collective = text.at("collective");
  task.gathers = collective == "allgatherv";
  if (!task.gathers && collective != "alltoallv") throw std::invalid_argument("no collective is called " + collective);
  task.ranks = text.at("ranks");
  task.bytes = text.at("bytes");
  task.partners = text.value("partners", task.partners);
  task.stride = text.value("stride", task.stride);
  task.others = text.value("others", task.others);
  if (task.ranks < 2 || task.ranks > 1 << 24) throw std::invalid_argument("2 to 16,777,216 ranks can be simulated");
  if (task.bytes < 0 || task.others < 0 || task.partners < 0 || task.stride < 1)
    throw std::invalid_argument("bytes, partners or stride are negative");
  const std::string words = text.value("algorithm", task.algorithm);
  const auto colon = words.find(':');
  task.algorithm = words.substr(0, colon);
  if (colon != std::string::npos) {
    const auto router = settings::router(words.substr(colon + 1));
    if (!router.complaint.empty()) throw std::invalid_argument(words + " " + router.complaint);
    task.router = router.value;
  }
  const auto table = task.gathers ? schedule::allgatherv() : schedule::alltoallv();
  const bool known = task.algorithm == "auto" || (task.gathers && task.algorithm == "by-sum");
  if (!known && schedule::find(table, task.algorithm) == nullptr) {
    std::string names = task.gathers ? "auto, by-sum" : "auto";
    for (const schedule::Algorithm* one : table) names += ", " + std::string(one->name);
    throw std::invalid_argument("no algorithm of " + collective + " is called " + task.algorithm + "; there are " + names);
  }
  return task;
}

std::vector<Rank> distances(const Task& task) {
  std::vector<Rank> found;
  std::vector<Rank> sorted;
  const Rank most = std::min(task.partners, task.ranks - 1);
  for (std::int64_t k = 1; k <= task.ranks && static_cast<Rank>(found.size()) < most; ++k)
    for (const std::int64_t away : {k * task.stride, -k * task.stride}) {
      const Rank distance = schedule::around(away, task.ranks);
      const auto place = std::ranges::lower_bound(sorted, distance);
      if (distance == 0 || static_cast<Rank>(found.size()) == most || (place != sorted.end() && *place == distance)) continue;
      sorted.insert(place, distance);
      found.push_back(distance);
    }
  return sorted;
}

Plan plan_of(const Task& task, const Machine& machine) {
  Plan plan;
  plan.router = task.router.value_or(settings::Router{});
  const bool open = task.algorithm == "auto" || task.algorithm == "by-sum";
  plan.choice = open ? chosen(task, machine) : Candidate{};
  if (!open) {
    plan.choice.algorithm = schedule::find(task.gathers ? schedule::allgatherv() : schedule::alltoallv(), task.algorithm);
    if (plan.choice.algorithm == &schedule::alltoallv_bruck) {
      for (const Rank ahead : distances(task))
        plan.choice.reach = std::max(plan.choice.reach, select::distance(0, ahead, task.ranks));
      plan.choice.stride = std::max(1, stride_of(task));
    }
    constexpr Bytes usual = 32 << 10;
    if (plan.choice.algorithm == &schedule::allgatherv_pipelined_ring)
      plan.choice.segment = plan.router.segment > 0 ? plan.router.segment : usual;
  }
  if (plan.router.radix > 0) plan.choice.radix = plan.router.radix;
  plan.bundles = !task.gathers && plan.choice.algorithm != &schedule::alltoallv_direct &&
                 plan.choice.algorithm != &schedule::alltoallv_round_robin;
  plan.place = {.ranks = task.ranks,
                .radix = plan.choice.radix,
                .reach = plan.choice.reach,
                .stride = plan.choice.stride,
                .channels = plan.router.channels};
  return plan;
}

std::string Plan::name() const {
  std::string text(choice.algorithm->name);
  if (choice.radix != 2) text += ", radix " + std::to_string(choice.radix);
  if (choice.reach > 0) text += ", within " + std::to_string(choice.reach);
  if (choice.stride > 1) text += " by " + std::to_string(choice.stride);
  if (choice.segment > 0) text += ", segments of " + std::to_string(choice.segment);
  return text;
}

}  // namespace heddle::sim
