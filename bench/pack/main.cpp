// bench/pack/main.cpp: packs and unpacks every case of the catalogue by MPI_ names, by PMPI_ names
// and with memcpy, interleaved in one process on one core. Prints JSON lines: a plan, then the rows
// of each case.
//
//   heddle run -- heddle-bench-pack-mpich --filter '^transpose'
//
// Without Heddle, MPI_Pack is PMPI_Pack. Then both must have the same time, which checks the
// benchmark.
#include <mpi.h>

#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "common/clock.hpp"
#include "common/command_line.hpp"
#include "common/host.hpp"
#include "pack/check.hpp"

namespace heddle::bench::pack {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string filter = ".";
  bool quick = false, list = false, no_decode = false;
  int core = -1, samples = 15;
  Bytes room = Bytes{512} << 20, limit = ~Bytes{0};
};

const char* size_class(Bytes bytes) { return bytes <= 32 << 10 ? "small" : bytes <= 1 << 20 ? "L2" : "memory"; }

void print(const Json& line) { std::cout << line.dump() << std::endl; }

/// The common part of all rows of a case.
Json row_of(const Case& what, Bytes bytes, const char* variant, const char* metric) {
  return {{"bench", "pack"},
          {"case", what.name},
          {"variant", variant},
          {"metric", metric},
          {"bytes", bytes},
          {"family", what.family},
          {"pattern", what.pattern == Pattern::irregular ? "irregular" : "regular"},
          {"size", size_class(bytes)}};
}

/// Prints times as throughput. The upper quartile is that of the quickest samples.
void print_throughput(Json row, Bytes bytes, const Spread& ns) {
  const auto gbs = [bytes](double time) { return static_cast<double>(bytes) / time; };
  row.update({{"value", gbs(ns.median)},
              {"unit", "GB/s"},
              {"lower", gbs(ns.upper)},
              {"upper", gbs(ns.lower)},
              {"best", gbs(ns.best)},
              {"samples", ns.samples}});
  print(row);
}

void print_time(Json row, const Spread& ns) {
  row.update({{"value", ns.median},
              {"unit", "ns"},
              {"lower", ns.lower},
              {"upper", ns.upper},
              {"best", ns.best},
              {"samples", ns.samples}});
  print(row);
}

/// Runs `call` in a counted loop, so a sample has only one indirect call.
template <class Call>
Timed timed(Call call) {
  return {[call](long repetitions) {
    while (repetitions-- > 0) call();
  }};
}

void measure_throughput(const Case& what, const Job& job, const Effort& effort) {
  std::byte* const packed = job.packed();
  std::byte* const data = job.first();
  const Bytes bytes = job.bytes();
  std::vector<Timed> pack{timed([&] { job.mpi_pack(packed); }), timed([&] { job.pmpi_pack(packed); }),
                          timed([=] { std::memcpy(packed, data, bytes); })};
  std::vector<Timed> unpack{timed([&] { job.mpi_unpack(packed); }), timed([&] { job.pmpi_unpack(packed); }),
                            timed([=] { std::memcpy(data, packed, bytes); })};
  const char* const variants[] = {"heddle", "host", "memcpy"};
  measure(pack, effort);
  for (int i = 0; i < 3; ++i) print_throughput(row_of(what, bytes, variants[i], "pack"), bytes, pack[i].spread);
  measure(unpack, effort);
  for (int i = 0; i < 3; ++i) print_throughput(row_of(what, bytes, variants[i], "unpack"), bytes, unpack[i].spread);
}

/// Measures the initial cost of a type: commit and first use, less the time of a warm use.
void measure_decoding(const Case& what, const Arena& arena, const Effort& effort) {
  using Pack = void (Job::*)(std::byte*) const;
  const auto first_use = [&](Job::Commit commit, Pack pack) {
    const Job job{what, arena, commit};
    const double start = now_ns();
    (job.*pack)(arena.packed());
    const double used = now_ns();
    (job.*pack)(arena.packed());
    return std::max(0.0, job.commit_ns() + (used - start) - (now_ns() - used));
  };
  std::vector<double> heddle, host;
  for (int i = 0; i < effort.at_least * 2 - 1; ++i) {
    heddle.push_back(first_use(MPI_Type_commit, &Job::mpi_pack));
    host.push_back(first_use(PMPI_Type_commit, &Job::pmpi_pack));
  }
  const Bytes bytes = Job{what, arena}.bytes();
  print_time(row_of(what, bytes, "heddle", "decode"), spread_of(heddle));
  print_time(row_of(what, bytes, "host", "decode"), spread_of(host));
}

int run(const Options& options) {
  Catalogue catalogue = whole_catalogue();
  std::erase_if(catalogue,
                [filter = std::regex{options.filter}](const Case& one) { return !std::regex_search(one.name, filter); });
  if (options.list) {
    for (const Case& one : catalogue) std::cout << one.name << '\n';
    return 0;
  }
  const Arena arena{options.room};
  Effort effort;
  effort.samples = options.samples;
  if (options.quick) effort = {.sample_ns = 1e5, .samples = 5, .at_least = 3, .budget_ns = 3e7};
  print({{"plan", catalogue.size()}, {"mpi", library_name()}, {"interposer", interposer()}, {"core", pin(options.core)}});
  int wrong = 0;
  for (const Case& one : catalogue) try {
      const Job job{one, arena};
      if (job.bytes() > options.limit) {
        print({{"skipped", one.name}});
        continue;
      }
      check(job);
      measure_throughput(one, job, effort);
      if (!options.no_decode) measure_decoding(one, arena, effort);
      print({{"done", one.name}});
    } catch (const std::exception& problem) {
      print({{"wrong", one.name}, {"why", problem.what()}});
      ++wrong;
    }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::bench::pack

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::pack::Options options;
  heddle::bench::CommandLine line{"Packs and unpacks the catalogue of data layouts; prints JSON lines."};
  line.option("--filter", options.filter, "Only cases whose name has a match of this regular expression");
  line.option("--samples", options.samples, "Samples of each call").between(3, 1000);
  line.option("--core", options.core, "Core to run on (the last one by default)");
  line.option("--limit", options.limit, "Skip cases of more packed bytes than this");
  line.flag("--quick", options.quick, "Short and rough");
  line.flag("--no-decode", options.no_decode, "Do not measure what decoding costs");
  line.flag("--list", options.list, "Print the names of the cases and stop");
  if (const auto status = line.parse(argc, argv)) return *status;
  MPI_Init(&argc, &argv);
  int result = 1;
  try {
    result = heddle::bench::pack::run(options);
  } catch (const std::regex_error& problem) {
    std::cerr << "heddle bench: --filter '" << options.filter << "' is not a regular expression: " << problem.what() << '\n';
  } catch (const std::exception& problem) {
    std::cerr << "heddle bench: " << problem.what() << '\n';
  }
  MPI_Finalize();
  return result;
}
