// heddle-smpi: carries out tasks by Heddle's schedules and engine, on a network that SimGrid
// simulates. It prints a JSON line for each task.
//
//   smpirun -np 4096 -platform torus.xml -hostfile hosts ... heddle-smpi.so TASKS.json
//
// `heddle simulate` starts it so. Ranks are contexts of one process, and are not privatized: they
// share the static variables below, and the first rank constructs them. So the ranks need no
// message to begin at the same moment, and times are exact to the nanosecond.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <vector>

#include "smpi/collectives.hpp"

namespace heddle::sim {
namespace {

struct Request {
  explicit Request(const char* file) {
    std::ifstream in(file);
    if (!in) throw std::invalid_argument(std::string("cannot read ") + file);
    const Json text = Json::parse(in);
    machine = machine_from(text.at("machine"));
    for (const Json& one : text.at("tasks")) rows.push_back(one);
  }
  std::optional<Machine> machine;
  std::vector<Json> rows;
};

/// The state of one task.
struct Round {
  Round(const Json& row, const Machine& machine) : stage(task_from(row), machine) {}
  Stage stage;
  double begun = 0;
  double last = 0;
  int wrong = 0;
};

int run(const char* file) {
  int me = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static const Request request(file);
  static const simgrid::s4u::BarrierPtr together = simgrid::s4u::Barrier::create(static_cast<unsigned>(ranks));
  static std::optional<Round> round;
  static bool failed = false;
  for (const Json& row : request.rows) {
    together->wait();
    if (!round) round.emplace(row, *request.machine);
    if (round->stage.task.ranks != ranks) throw std::invalid_argument("a task of another number of ranks");
    std::unique_ptr<Collective> mine = collective(round->stage, me);
    together->wait();
    round->begun = MPI_Wtime();
    mine->run();
    round->last = std::max(round->last, MPI_Wtime());
    together->wait();
    round->wrong += mine->right() ? 0 : 1;
    mine.reset();
    together->wait();
    if (me == 0) {
      Json answer = row;
      answer["took"] = round->stage.plan.name();
      answer["us"] = (round->last - round->begun) * 1e6;
      answer["checked"] = round->stage.checked;
      answer["wrong_ranks"] = round->wrong;
      std::cout << answer.dump() << std::endl;
      failed = failed || round->wrong > 0;
      round.reset();
    }
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace heddle::sim

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 2;
  try {
    result = heddle::sim::run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, result);
  }
  MPI_Finalize();
  return result;
}
