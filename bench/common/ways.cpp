// bench/common/ways.cpp: see ways.hpp.
#include "common/ways.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::bench {
namespace {

double elapsed(const Stage& stage, Clock clock) {
  if (clock == Clock::arrival) return stage.ended(0) - stage.started(1);
  if (clock == Clock::sender) return stage.ended(1) - stage.started(1);
  double first = stage.started(0), last = stage.ended(0);
  for (int rank = 1; rank < stage.ranks(); ++rank) {
    first = std::min(first, stage.started(rank));
    last = std::max(last, stage.ended(rank));
  }
  return last - first;
}

/// One message; its time is good on rank 0 only.
double once(Stage& stage, const Way& way, Clock clock, long number) {
  way.prepare(number);
  stage.meet();
  if (clock == Clock::arrival && stage.rank() != 0)
    for (const double now = wall_ns(); wall_ns() < now + way.lead_ns;) {
    }
  stage.start();
  way.act(number);
  stage.end();
  stage.meet();
  return elapsed(stage, clock);
}

}  // namespace

void drop_wrong(Stage& stage, std::vector<Way>& ways,
                const std::function<void(const std::string&, const std::string&)>& report) {
  std::erase_if(ways, [&](Way& way) {
    once(stage, way, Clock::everybody, 0);
    const std::string wrong = way.verify();
    if (!wrong.empty()) report(way.name, wrong);
    return stage.least(wrong.empty()) == 0;
  });
}

void measure(Stage& stage, std::vector<Way>& ways, Clock clock, const Pace& pace) {
  const std::size_t n = ways.size();
  std::vector<std::vector<double>> samples(n);
  std::vector<std::int64_t> burst(n);
  long number = 1;
  for (std::size_t i = 0; i < n; ++i) {
    once(stage, ways[i], clock, number++);
    const double taken = once(stage, ways[i], clock, number++);
    const auto fitting = static_cast<std::int64_t>(pace.burst_ns / std::max(taken, 1.0));
    burst[i] = stage.from_first(std::clamp<std::int64_t>(fitting, 2, pace.burst));
  }
  const double began = wall_ns();
  for (int round = 0;; ++round) {
    const bool more = round < pace.at_least || (round < pace.rounds && wall_ns() - began < pace.budget_ns);
    if (stage.from_first(more) == 0) break;
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t which = (turn + static_cast<std::size_t>(round)) % n;  // nobody always runs after the same neighbour
      std::vector<double> times;
      for (std::int64_t i = 0; i < burst[which]; ++i) {
        const double taken = once(stage, ways[which], clock, number++);
        if (i > 0) times.push_back(taken);
      }
      samples[which].insert(samples[which].end(), times.begin(), times.end());
      ways[which].by_round.push_back(spread_of(std::move(times)).median);
    }
  }
  for (std::size_t i = 0; i < n; ++i) ways[i].ns = spread_of(std::move(samples[i]));
}

Spread ratio(const Way& way, const Way& base) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(way.by_round.size(), base.by_round.size()); ++round)
    ratios.push_back(way.by_round[round] / base.by_round[round]);
  return spread_of(std::move(ratios));
}

}  // namespace heddle::bench
