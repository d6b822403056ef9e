// bench/study/main.cpp: halos of three two-dimensional codes, packed by hand and by datatypes, for
// `heddle bench study`. Prints JSON lines.
//
//   mpiexec -n 4 heddle-bench-study-mpich --codes life --sizes 128 --calls messages persistent
//
// After Adefemi 2025, "Do MPI Derived Datatypes Actually Help? A Single-Node Cross-Implementation
// Study on Shared-Memory Communication" (arXiv 2511.13804). The calls are ordinary MPI calls:
// `heddle bench` starts the program alone and under Heddle.
//
// Metrics: "exchange" is the exchange of a halo just after a step wrote the field. "step" is an
// exchange and the step after it. "answer" lines have checksums of each rank's field after some
// steps from the first state. They are printed before and after the times are taken.
#include <mpi.h>

#include <iostream>
#include <map>

#include "common/command_line.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "study/exchange.hpp"
#include "study/problem.hpp"

namespace heddle::bench::study {
namespace {

struct Options {
  std::vector<std::string> codes = {Jacobi::name, Life::name, Image::name};
  std::vector<int> sizes = {128, 512, 2048};
  std::vector<std::string> calls = {"messages", "neighbour", "persistent"};
  int steps = 10;
  double budget_ms = 60;
  bool quick = false;
};

const std::map<std::string, Call> calls = {
    {"messages", Call::messages}, {"neighbour", Call::neighbour}, {"persistent", Call::persistent}, {"puts", Call::puts}};

/// The exchange of a problem's halo by one call and one means, whichever field holds the state.
template <class Code>
class Halo {
 public:
  Halo(const Grid& grid, Problem<Code>& problem, Call call, Means means)
      : problem_{problem},
        of_{Exchange<Code>{grid, problem.shape(), problem.field(0), call, means},
            Exchange<Code>{grid, problem.shape(), problem.field(1), call, means}} {}
  void exchange() { of_[problem_.now()].run(); }
  void step() {
    exchange();
    problem_.compute();
  }

 private:
  Problem<Code>& problem_;
  Exchange<Code> of_[2];
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_{options},
        crowded_{crowded(ranks())},
        give_way_{crowded_},
        stage_{MPI_COMM_WORLD, crowded_},
        report_{stage_, "study"} {
    pace_.budget_ns = options.budget_ms * 1e6;
    if (options.quick) pace_ = {.rounds = 12, .at_least = 3, .budget_ns = options.budget_ms * 2e5};
  }

  bool run() {
    report_.plan(std::ssize(options_.codes) * std::ssize(options_.sizes) * std::ssize(options_.calls));
    for (const std::string& code : options_.codes)
      for (const int size : options_.sizes) {
        if (code == Jacobi::name) measure<Jacobi>(size);
        if (code == Life::name) measure<Life>(size);
        if (code == Image::name) measure<Image>(size);
      }
    return report_.all_right();
  }

 private:
  static int ranks() {
    int found = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &found);
    return found;
  }

  template <class Code>
  void measure(int size) {
    Problem<Code> problem{grid_, size};
    for (const std::string& call : options_.calls) {
      Halo<Code> by_hand{grid_, problem, calls.at(call), Means::by_hand};
      Halo<Code> datatypes{grid_, problem, calls.at(call), Means::datatypes};
      const std::string name = std::string{Code::name} + " " + std::to_string(size) + ", " + call;
      const auto answers = [&] {
        answer(problem, by_hand, name, "by hand");
        answer(problem, datatypes, name, "datatypes");
      };
      const auto compute = [&](long) { problem.compute(); };
      const auto nothing = [](long) {};
      const Json row = {{"case", name},
                        {"family", Code::name},
                        {"size", std::to_string(size)},
                        {"pattern", call},
                        {"bytes", sent<Code>(problem.shape())}};
      answers();
      time({{"by hand", compute, [&](long) { by_hand.exchange(); }},
            {"datatypes", compute, [&](long) { datatypes.exchange(); }}},
           row, "exchange");
      time({{"by hand", nothing, [&](long) { by_hand.step(); }}, {"datatypes", nothing, [&](long) { datatypes.step(); }}}, row,
           "step");
      answers();
      report_.done(name);
    }
  }

  void time(std::vector<Way> ways, Json row, const char* metric) {
    row["metric"] = metric;
    report_.measured(ways, Clock::everybody, pace_, row);
  }

  /// Bytes that a rank sends in one exchange.
  template <class Code>
  static long sent(const Shape& shape) {
    long cells = 0;
    for (const std::vector<Side>& phase : phases(shape, Code::corners))
      for (const Side& side : phase) cells += side.out.cells();
    return cells * static_cast<long>(sizeof(typename Code::Cell));
  }

  template <class Code>
  void answer(Problem<Code>& problem, Halo<Code>& halo, const std::string& name, const char* variant) {
    problem.start();
    for (int step = 0; step < options_.steps; ++step) halo.step();
    const std::uint64_t mine = problem.checksum();
    std::vector<std::uint64_t> all(static_cast<std::size_t>(stage_.ranks()));
    PMPI_Gather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (stage_.rank() == 0)
      std::cout << Json{{"answer", name}, {"variant", variant}, {"steps", options_.steps}, {"checksums", all}}.dump()
                << std::endl;
  }

  const Options& options_;
  bool crowded_;
  GiveWay give_way_;
  Stage stage_;
  Report report_;
  Grid grid_{MPI_COMM_WORLD};
  Pace pace_;
};

}  // namespace
}  // namespace heddle::bench::study

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::study::Options options;
  heddle::bench::CommandLine line{"Halos of three codes, packed by hand and by datatypes; prints JSON lines."};
  line.option("--codes", options.codes, "jacobi, life, image").one_of({"jacobi", "life", "image"});
  line.option("--sizes", options.sizes, "Cells of a side of each rank's square").between(4, 1 << 14);
  line.option("--calls", options.calls, "messages, neighbour, persistent")
      .one_of({"messages", "neighbour", "persistent", "puts"});
  line.option("--steps", options.steps, "Steps to the answer").between(1, 1000);
  line.option("--budget", options.budget_ms, "Milliseconds for each number").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 1, 64, [&] { return heddle::bench::study::Bench{options}.run(); });
}
