// tool/estimate.cpp: reads tasks and prints a line of JSON for each, for `heddle simulate`. The
// file:
//
//   {"machine": {...} or {"profile": "mpich", "members": 16}, "tasks": [{"collective": "alltoallv", "ranks": 4096, ...}, ...]}
//
// Lines {"part": 0.4} report the progress of the next task.
#include "estimate/estimate.hpp"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "tool/commands.hpp"

namespace heddle::tool {

void estimate(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::invalid_argument("cannot read " + file);
  const Json request = Json::parse(in);
  const Json& about = request.at("machine");
  for (const Json& one : request.at("tasks")) {
    const sim::Task task = sim::task_from(one);
    const sim::Machine machine = about.contains("profile")
                                     ? sim::machine_of_profile(about["profile"], about.at("members"), task.ranks)
                                     : sim::machine_from(about);
    constexpr double step = 0.02;
    double told = 0;
    const sim::Estimate found = sim::estimate(task, machine, [&](double part) {
      if (part < told + step) return;
      told = part;
      std::cout << Json{{"part", part}}.dump() << std::endl;
    });
    Json row = one;
    row["took"] = found.plan.name();
    row["us"] = found.ns / 1e3;
    row["messages"] = found.messages;
    row["sent_bytes"] = found.bytes;
    row["copied_bytes"] = found.copied;
    row["rounds"] = found.rounds;
    row["walked_rounds"] = found.walked;
    row["log2_bound_us"] = schedule::logarithm(task.ranks) * sim::shortest(machine) / 1e3;
    std::cout << row.dump() << std::endl;
  }
}

}  // namespace heddle::tool
