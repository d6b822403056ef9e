// heddle-estimate: tasks in, one JSON line for each out. Behind `heddle simulate --estimate`.
//
//   heddle-estimate TASKS.json          {"machine": {...} or {"profile": "mpich", "members": 16}, "tasks": [{...}, ...]}
//
// Lines {"part": 0.4} tell how far the next one is. Exit code 2 and one line on stderr for what it cannot make sense of.
#include <fstream>
#include <iostream>

#include "estimate/estimate.hpp"

namespace heddle::sim {
namespace {

void tell(double part) { std::cout << Json{{"part", part}}.dump() << std::endl; }

int run(const char* file) try {
  std::ifstream in(file);
  if (!in) throw std::invalid_argument(std::string("cannot read ") + file);
  const Json request = Json::parse(in);
  for (const Json& one : request.at("tasks")) {
    const Task task = task_from(one);
    const Json& about = request.at("machine");
    const Machine machine =
        about.contains("profile") ? machine_of_profile(about["profile"], about.at("members"), task.ranks) : machine_from(about);
    double told = 0;
    const Estimate found = estimate(task, machine, [&](double part) {
      if (part < told + 0.05) return;
      tell(told = part);
    });
    Json row = one;
    row["took"] = found.plan.name();
    row["us"] = found.ns / 1e3;
    row["messages"] = found.messages;
    row["sent_bytes"] = found.bytes;
    row["copied_bytes"] = found.copied;
    row["rounds"] = found.rounds;
    row["walked_rounds"] = found.walked;
    row["log2_bound_us"] = schedule::logarithm(task.ranks) * shortest(machine) / 1e3;
    std::cout << row.dump() << std::endl;
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "heddle: " << error.what() << "\n";
  return 2;
}

}  // namespace
}  // namespace heddle::sim

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "heddle: usage: heddle-estimate TASKS.json\n";
    return 2;
  }
  return heddle::sim::run(argv[1]);
}
