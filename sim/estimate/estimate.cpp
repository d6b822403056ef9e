// sim/estimate/estimate.cpp
#include "estimate/estimate.hpp"

#include <stdexcept>

namespace heddle::sim {

Estimate estimate(const Task& task, const Machine& machine, const Progress& progress) {
  if (machine.nodes_of(task.ranks) > machine.joined.nodes())
    throw std::invalid_argument(std::to_string(task.ranks) + " ranks do not fit on " + std::to_string(machine.joined.nodes()) +
                                " nodes of " + std::to_string(machine.members));
  const Plan plan = plan_of(task, machine);
  const Progress none = [](double) {};
  const Progress& tell = progress ? progress : none;
  if (task.gathers) return estimate_gather(task, machine, plan, tell);
  return plan.bundles ? estimate_bundles(task, machine, plan, tell) : estimate_pairs(task, machine, plan, tell);
}

}  // namespace heddle::sim
