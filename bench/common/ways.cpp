// bench/common/ways.cpp: see ways.hpp.
#include "common/ways.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "select/far_line.hpp"

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

struct Sample {
  double ns;
  bool disturbed;
};

/// Times one message. The result is valid only on rank 0.
Sample once(Stage& stage, const Way& way, Clock clock, long number) {
  way.prepare(number);
  stage.meet();
  if (clock == Clock::arrival && stage.rank() != 0)
    for (const double now = wall_ns(); wall_ns() < now + way.lead_ns;) {
    }
  stage.start();
  way.act(number);
  stage.end();
  stage.meet();
  return {elapsed(stage, clock), stage.disturbed()};
}

/// All samples of one way at one distance of the cores.
struct Samples {
  std::vector<double> clean, all;
};

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

std::array<double, 2> measure(Stage& stage, std::vector<Way>& ways, Clock clock, const Pace& pace) {
  const std::size_t n = ways.size();
  std::vector<std::array<Samples, 2>> samples(n);
  std::array<std::vector<double>, 2> lines;
  constexpr long trips = 200;  // some tens of us
  std::vector<std::int64_t> burst(n);
  long number = 1;
  for (std::size_t i = 0; i < n; ++i) {
    double taken = once(stage, ways[i], clock, number++).ns;
    for (int again = 0; again < 2; ++again) taken = std::min(taken, once(stage, ways[i], clock, number++).ns);
    const auto fitting = static_cast<std::int64_t>(pace.burst_ns / std::max(taken, 1.0));
    burst[i] = stage.from_first(std::clamp<std::int64_t>(fitting, 2, pace.burst));
  }
  const double began = wall_ns();
  double line = stage.line_ns(trips);
  for (int round = 0, clean_rounds = 0;; ++round) {
    const double spent = wall_ns() - began;
    const bool more = clean_rounds < pace.at_least ? spent < 4 * pace.budget_ns || round < pace.at_least
                                                   : round < pace.rounds && spent < pace.budget_ns;
    if (stage.from_first(more) == 0) break;
    bool all_clean = true;
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t which = (turn + static_cast<std::size_t>(round)) % n;  // the first way changes from round to round
      std::vector<double> clean, all;
      for (std::int64_t i = 0; i < burst[which]; ++i) {
        const Sample sample = once(stage, ways[which], clock, number++);
        if (i == 0) continue;
        all.push_back(sample.ns);
        if (!sample.disturbed) clean.push_back(sample.ns);
      }
      const double before = std::exchange(line, stage.line_ns(trips));
      const bool far = line >= select::far_line;
      const bool moved = far != (before >= select::far_line);
      for (const bool side : {false, true}) {
        const bool counts = side == far && !moved && !clean.empty();
        ways[which].seen[side].by_round.push_back(counts ? spread_of(std::vector(clean)).median : std::nan(""));
      }
      all_clean = all_clean && !clean.empty() && !moved;
      Samples& kept = samples[which][far];
      kept.all.insert(kept.all.end(), all.begin(), all.end());
      if (moved) continue;
      kept.clean.insert(kept.clean.end(), clean.begin(), clean.end());
      lines[far].push_back(line);
    }
    clean_rounds += all_clean;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (const bool side : {false, true}) {
      Samples& kept = samples[i][side];
      std::vector<double>& counted = kept.clean.empty() ? kept.all : kept.clean;
      if (!counted.empty()) ways[i].seen[side].ns = spread_of(std::move(counted));
    }
  std::array<double, 2> took{};
  for (const bool side : {false, true})
    if (!lines[side].empty()) took[side] = spread_of(std::move(lines[side])).median;
  return took;
}

Spread ratio(const Way::Seen& way, const Way::Seen& base) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(way.by_round.size(), base.by_round.size()); ++round)
    if (const double times = way.by_round[round] / base.by_round[round]; std::isfinite(times)) ratios.push_back(times);
  return ratios.empty() ? Spread{.median = way.ns.median / base.ns.median} : spread_of(std::move(ratios));
}

}  // namespace heddle::bench
