// sim/estimate/estimate.hpp: estimates the time of a collective by LogGP, for any number of ranks.
//
//   const Estimate about = estimate(task, machine, [](double part) { ... });
//   about.ns, about.plan.name()
//
// Each rank has a clock. The estimate goes through the rounds of Heddle's schedule, for all ranks.
// It cuts messages as engine/collective/router.cpp and engine/collective/gathering.cpp do. A
// message costs processor time (o), the latency of each hop (L), time on shared links (G), and
// copies from bundle to bundle. No data move, so a rank takes a few words for each partner:
// 1,000,000 ranks fit into a few GB. If a schedule has very many rounds (a message for each pair),
// the estimate goes through a sample of them, and the result says so.
//
// select/collective/estimate.hpp decides by facts that all ranks know. This estimate also knows the
// topology and the work of the router. tests/python/test_simulate.py and docs/simulate.md compare
// it with SimGrid.
#pragma once

#include <functional>

#include "model/task.hpp"

namespace heddle::sim {

struct Estimate {
  double ns = 0;  ///< From the common start to the end of the last rank.
  Plan plan;
  double messages = 0;  ///< Messages sent by a rank, on average.
  double bytes = 0;     ///< Bytes sent by a rank, on average.
  double copied = 0;    ///< Bytes copied within a rank's memory, on average.
  Count rounds = 0;     ///< Rounds of the schedule.
  Count walked = 0;     ///< Rounds that the estimate went through.
};

using Progress = std::function<void(double part)>;

Estimate estimate(const Task& task, const Machine& machine, const Progress& progress = nullptr);

// The parts of estimate(), each in its own file.
Estimate estimate_pairs(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress);
Estimate estimate_bundles(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress);
Estimate estimate_gather(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress);

/// All ranks begin with messages straight to all partners. For each rank: the time when it has
/// started its sends, and the time when all its messages are complete.
struct Straight {
  std::vector<double> begun, done;
};
Straight straight(const Task& task, const Machine& machine);

}  // namespace heddle::sim
