// bench/allgatherv/main.cpp: MPI_Allgatherv of volumes that differ (Balaji et al. 2007, figure 14:
// rank 0 has s bytes, all others 8). Prints JSON lines.
//
//   heddle run -n 48 -- heddle-bench-allgatherv-mpich --largest 32768 1048576
//
// Ways: host (PMPI_ name), interposed (MPI_ name). A call lasts from the first rank's entry to the
// last rank's return. Metric "choosing": the time of a rank in each call to look at the volumes and
// choose an algorithm.
#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "common/command_line.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "select/collective/choose_collective.hpp"

namespace heddle::bench::allgatherv {
namespace {

struct Options {
  std::vector<long> largest = {8, 512, 4096, 32768, 262144, 1048576, 4194304};
  std::vector<std::string> ways = {"host", "interposed"};
  std::vector<std::string> spreads = {"outlier", "power"};
  bool quick = false;
  double budget_ms = 600;
};

/// The data of every rank, and their place at the receivers.
struct Volumes {
  Volumes(const std::string& spread, long largest, int ranks) {
    int total = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const long here = spread == "outlier" ? (rank == 0 ? largest : std::min(8L, largest))  // figure 14
                        : spread == "power" ? std::max(1L, largest / (rank + 1))
                                            : largest;
      counts.push_back(static_cast<int>(here));
      places.push_back(total);
      total += counts.back();
    }
    bytes = total;
  }
  std::vector<int> counts, places;
  long bytes = 0;
};

std::uint8_t content(long number, int rank, int at) {
  return static_cast<std::uint8_t>(number * 7 + rank * 31L + at * 13L + 1);
}

/// Time to choose an algorithm, ns: to look at all volumes, to find the k-th largest, and to
/// compute the cost of each algorithm.
Spread choosing(const Volumes& volumes, int ranks) {
  constexpr int samples = 21;
  constexpr int calls = 50;
  select::Spread look;
  std::vector<double> ns;
  double sum = 0;  // keeps the compiler from leaving out the work
  for (int sample = 0; sample < samples; ++sample) {
    const double start = now_ns();
    for (int call = 0; call < calls; ++call) {
      const select::Volumes& seen = look.of(ranks, [&](int rank) { return volumes.counts[static_cast<std::size_t>(rank)]; });
      sum += select::choose_allgatherv({{.ranks = ranks, .members = ranks}, seen}).ns;
    }
    ns.push_back((now_ns() - start) / calls);
  }
  return sum >= 0 ? spread_of(ns) : Spread{};
}

bool run(const Options& options) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const GiveWay give_way{crowded(ranks)};
  Stage stage{MPI_COMM_WORLD, crowded(ranks)};
  Report report{stage, "allgatherv"};
  const int me = stage.rank();
  Pace pace{.budget_ns = options.budget_ms * 1e6, .burst_ns = 1e7};
  if (options.quick) pace = {.rounds = 12, .at_least = 5, .budget_ns = options.budget_ms * 2e5, .burst_ns = 1e6};
  report.plan(std::ssize(options.largest) * std::ssize(options.spreads));
  for (const std::string& spread : options.spreads)
    for (const long largest : options.largest) {
      const Volumes volumes{spread, largest, ranks};
      const int mine = volumes.counts[static_cast<std::size_t>(me)];
      std::vector<std::uint8_t> out(static_cast<std::size_t>(mine) + 1), in(static_cast<std::size_t>(volumes.bytes) + 1);
      const auto prepare = [&](long number) {
        for (int i = 0; i < mine; ++i) out[static_cast<std::size_t>(i)] = content(number, me, i);
        if (number == 0) std::ranges::fill(in, std::uint8_t{0});
      };
      const auto gather = [&](auto allgatherv) {
        return [&, allgatherv](long) {
          allgatherv(out.data(), mine, MPI_BYTE, in.data(), volumes.counts.data(), volumes.places.data(), MPI_BYTE,
                     MPI_COMM_WORLD);
        };
      };
      const auto verify = [&]() -> std::string {
        for (int rank = 0; rank < ranks; ++rank) {
          const auto r = static_cast<std::size_t>(rank);
          for (int i = 0; i < volumes.counts[r]; ++i)
            if (in[static_cast<std::size_t>(volumes.places[r]) + static_cast<std::size_t>(i)] != content(0, rank, i))
              return "block of rank " + std::to_string(rank) + ", byte " + std::to_string(i);
        }
        return {};
      };
      const std::string name = spread + " s=" + std::to_string(largest);
      std::vector<Way> ways = {{"host", prepare, gather(PMPI_Allgatherv), verify},
                               {"interposed", prepare, gather(MPI_Allgatherv), verify}};
      choose(ways, options.ways);
      report.check(ways, name);
      report.measured(ways, Clock::everybody, pace, {{"case", name}, {"metric", "allgatherv"}, {"bytes", volumes.bytes}});
      if (me == 0)
        report.told({{"case", name}, {"metric", "choosing"}, {"bytes", volumes.bytes}}, "choosing", choosing(volumes, ranks));
      report.done(name);
    }
  return report.all_right();
}

}  // namespace
}  // namespace heddle::bench::allgatherv

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::allgatherv::Options options;
  heddle::bench::CommandLine line{"MPI_Allgatherv of volumes that differ; prints JSON lines."};
  line.option("--largest", options.largest, "Bytes of the largest block").between(1, 1 << 26);
  line.option("--spreads", options.spreads, "outlier, power, equal");
  line.option("--ways", options.ways, "host, interposed");
  line.option("--budget", options.budget_ms, "Milliseconds for each case").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 64, [&] { return heddle::bench::allgatherv::run(options); });
}
