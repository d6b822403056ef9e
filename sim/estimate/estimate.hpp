// sim/estimate/estimate.hpp: what a collective takes by LogGP, for as many ranks as one likes. May include: model/.
//
//   const Estimate about = estimate(task, machine, [](double part) { ... });
//   about.ns, about.chosen.name()
//
// Each rank has a clock. The estimate walks the rounds of Heddle's schedules in turn, with all ranks. Messages are cut as in
// engine/router.cpp and engine/gathering.cpp. A message has the work of a processor (o), its way (L, hop by hop), shared links
// (G), and copies from bundle to bundle. No data move, so a rank takes a few words for each partner: 1,000,000 ranks fit into a
// few GB. Of schedules with very many rounds (a message for each pair), a sample is walked, and the result says so.
//
// select/collective/estimate.hpp judges choices by facts that all ranks know. This estimate also knows the topology and the
// work of the router. tests/python/test_simulate.py and docs/simulate.md compare it with SimGrid.
#pragma once

#include <functional>

#include "model/task.hpp"

namespace heddle::sim {

struct Estimate {
  double ns = 0;  ///< From when all begin to when the last one is done.
  Plan plan;
  double messages = 0;  ///< That a rank sends, on average.
  double bytes = 0;     ///< In these, on average.
  double copied = 0;    ///< From memory to memory, on average.
  Count rounds = 0;     ///< Of the schedule ...
  Count walked = 0;     ///< ... and of these so many.
};

using Progress = std::function<void(double part)>;

Estimate estimate(const Task& task, const Machine& machine, const Progress& progress = nullptr);

// Parts of it, each in a file of its own.
Estimate estimate_pairs(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress);
Estimate estimate_bundles(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress);
Estimate estimate_gather(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress);

/// Messages straight to all partners, which all ranks begin with. Clocks when the sends have been begun, and when all has come.
struct Straight {
  std::vector<double> begun, done;
};
Straight straight(const Task& task, const Machine& machine);

}  // namespace heddle::sim
