// sim/estimate/pairs.cpp: estimates exchanges with a message for each pair: to partners only, or to
// all ranks in turn.
#include <algorithm>

#include "estimate/estimate.hpp"
#include "estimate/traffic.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::sim {
namespace {

using schedule::around;

/// Limits of the sample for round-robin. After so many rounds, or messages, the mean is known well
/// enough.
constexpr Count most_walked = 512;
constexpr Count most_messages = 1 << 25;

/// Each rank sends to the rank at distance `away`, receives from the rank at -away, and waits for
/// both.
void one_round(const Task& task, Traffic& traffic, Rank away, double bytes, std::vector<double>& now,
               std::vector<double>& next) {
  traffic.begin();
  for (Rank from = 0; from < task.ranks && bytes > 0; ++from)
    traffic.load(from, around(from + std::int64_t{away}, task.ranks), bytes, now[index(from)]);
  const bool eager = traffic.eager(bytes);
  for (Rank from = 0; from < task.ranks; ++from) next[index(from)] = 0;
  for (Rank from = 0; from < task.ranks; ++from) {
    const Rank to = around(from + std::int64_t{away}, task.ranks);
    const Wire& wire = traffic.wire(from, to);
    const double begin = now[index(from)];
    const double sent = begin + wire.send;
    // A long message (rendezvous) starts when its receiver is ready. Then the sender waits for its
    // end, too.
    const double start = eager ? sent : std::max(sent, now[index(to)]);
    const double there = traffic.arrival({from, to, bytes, start});
    double& receiver = next[index(to)];
    const double begun = now[index(to)] + traffic.wire(to, around(to + std::int64_t{away}, task.ranks)).send;
    receiver = std::max(receiver, std::max(begun, there) + (eager ? wire.receive : 0));
    if (!eager) next[index(from)] = std::max(next[index(from)], there);
  }
  now.swap(next);
}

Estimate everybody(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress) {
  const Rank all = task.ranks - 1;
  const std::vector<Rank> partners = task.bytes > 0 ? distances(task) : std::vector<Rank>{};
  Estimate about{.plan = plan, .rounds = all};
  Traffic traffic(machine);
  std::vector<double> now(index(task.ranks), 0);
  std::vector<double> next(now.size());
  // Few rounds have bytes: the estimate covers all of them. Of the empty rounds it takes a sample,
  // at evenly spread distances.
  std::vector<Rank> others;
  for (Rank away = 1; away <= all; ++away)
    if (!std::ranges::binary_search(partners, away)) others.push_back(away);
  const Count empty = std::ssize(others);
  const Count sampled = std::min({empty, most_walked, most_messages / task.ranks + 16});
  double spent = 0;
  Count walked = 0;
  auto partner = partners.begin();
  double last = 0;
  const auto round = [&](Rank away, double bytes) {
    one_round(task, traffic, away, bytes, now, next);
    const double latest = std::ranges::max(now);
    const double took = latest - last;
    last = latest;
    progress(static_cast<double>(++walked) / static_cast<double>(sampled + std::ssize(partners)));
    return took;
  };
  double full = 0;
  for (Count i = 0; i < sampled; ++i) {
    const Rank away = others[static_cast<std::size_t>(i * empty / sampled)];
    for (; partner != partners.end() && *partner <= away; ++partner) full += round(*partner, static_cast<double>(task.bytes));
    spent += round(away, 0);
  }
  for (; partner != partners.end(); ++partner) full += round(*partner, static_cast<double>(task.bytes));
  about.walked = walked;
  about.ns = full + (sampled > 0 ? spent * static_cast<double>(empty) / static_cast<double>(sampled) : 0);
  about.messages = static_cast<double>(all);
  about.bytes = static_cast<double>(task.bytes) * static_cast<double>(partners.size());
  return about;
}

}  // namespace

Straight straight(const Task& task, const Machine& machine) {
  Traffic traffic(machine);
  const std::vector<Rank> away = task.bytes > 0 ? distances(task) : std::vector<Rank>{};
  const auto bytes = static_cast<double>(task.bytes);
  const bool eager = traffic.eager(bytes);
  const auto ranks = index(task.ranks);
  Straight clocks{std::vector<double>(ranks, 0), std::vector<double>(ranks, 0)};
  traffic.begin();
  for (const Rank distance : away)
    for (Rank from = 0; from < task.ranks; ++from)
      traffic.load(from, around(from + std::int64_t{distance}, task.ranks), bytes, 0);

  // All ranks send their first message, then all their second, and so on. A receiver takes messages
  // in the order of arrival.
  struct Come {
    float at, takes;
  };
  std::vector<std::vector<Come>> come(ranks);
  for (auto& one : come) one.reserve(away.size());
  for (std::size_t i = 0; i < away.size(); ++i) {
    for (Rank from = 0; from < task.ranks; ++from) {
      const Rank to = around(from + std::int64_t{away[i]}, task.ranks);
      double& sender = clocks.begun[index(from)];
      sender += traffic.wire(from, to).send;
      const double there = traffic.arrival({from, to, bytes, sender});
      come[index(to)].push_back({static_cast<float>(there), static_cast<float>(eager ? traffic.wire(from, to).receive : 0)});
      if (!eager) clocks.done[index(from)] = std::max(clocks.done[index(from)], there);
    }
  }
  for (Rank rank = 0; rank < task.ranks; ++rank) {
    double clock = clocks.begun[index(rank)];
    auto& mine = come[index(rank)];
    std::ranges::sort(mine, {}, &Come::at);
    for (const Come& one : mine) clock = std::max(clock, static_cast<double>(one.at)) + one.takes;
    clocks.done[index(rank)] = std::max(clocks.done[index(rank)], clock);
  }
  return clocks;
}

Estimate estimate_pairs(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress) {
  if (plan.choice.algorithm == &schedule::alltoallv_round_robin) return everybody(task, machine, plan, progress);
  const Straight clocks = straight(task, machine);
  const auto partners = static_cast<double>(task.bytes > 0 ? distances(task).size() : 0);
  return {.ns = std::ranges::max(clocks.done),
          .plan = plan,
          .messages = partners,
          .bytes = partners * static_cast<double>(task.bytes),
          .rounds = 1,
          .walked = 1};
}

}  // namespace heddle::sim
