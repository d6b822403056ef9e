// bench/transpose/main.cpp: rank 1 sends a matrix of n × n elements of three doubles column after
// column, and rank 0 receives it row after row (Balaji et al. 2007, figures 12 and 13). Prints JSON
// lines.
//
//   heddle run -n 2 -- heddle-bench-transpose-mpich --sizes 64 1024
//
// With --scatter, rank 1 sends rows, and rank 0 receives columns. For the breakdown, rank 1 also
// packs the matrix alone, by PMPI_Pack and MPI_Pack. Ways:
//   host         PMPI_ names
//   interposed   MPI_ names
//   contiguous   the same bytes, not transposed
//   manual       a loop transposes the matrix, PMPI_ names
#include <mpi.h>

#include <memory>

#include "common/command_line.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"
#include "transpose/matrix.hpp"

namespace heddle::bench::transpose {
namespace {

struct Options {
  std::vector<long> sizes = {64, 128, 256, 512, 1024, 2048};
  std::vector<std::string> ways = {"host", "interposed", "contiguous", "manual"};
  bool quick = false, mapped = false, scatter = false, no_pack = false;
  double budget_ms = 1500;
};

constexpr int tag = 8;

/// The matrices of a rank.
struct Buffers {
  Buffers(long n, bool mapped)
      : host{n, mapped ? Origin::host_alloc_mem : Origin::malloc},
        own{mapped ? std::make_unique<Matrix>(n, Origin::heddle_alloc) : nullptr},
        scratch{n, mapped ? Origin::host_alloc_mem : Origin::malloc} {}
  [[nodiscard]] const Matrix& interposed() const { return own ? *own : host; }

  Matrix host;
  std::unique_ptr<Matrix> own;  ///< Memory of heddle_alloc.
  Matrix scratch;
};

std::vector<Way> ways_of(bool sender, bool scatter, const Buffers& buffers, MPI_Datatype turned) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto ignored = MPI_STATUS_IGNORE;
  const Matrix &host = buffers.host, &own = buffers.interposed(), &scratch = buffers.scratch;
  const int all = host.count();
  const auto way = [sender](std::string name, const Matrix& data, bool turns, auto send, auto receive) -> Way {
    if (sender) return {std::move(name), [&data](long number) { data.write(number); }, send};
    return {std::move(name),
            [&data](long number) {
              if (number == 0) data.wipe();
            },
            receive, [&data, turns] { return turns ? data.compare_turned(0) : data.compare(0); }};
  };
  const MPI_Datatype sent = scatter ? MPI_DOUBLE : turned, received = scatter ? turned : MPI_DOUBLE;
  const int sent_count = scatter ? all : 1, received_count = scatter ? 1 : all;
  return {
      way(
          "host", host, true, [=, &host](long) { PMPI_Send(host.data(), sent_count, sent, 0, tag, comm); },
          [=, &host](long) { PMPI_Recv(host.data(), received_count, received, 1, tag, comm, ignored); }),
      way(
          "interposed", own, true, [=, &own](long) { MPI_Send(own.data(), sent_count, sent, 0, tag, comm); },
          [=, &own](long) { MPI_Recv(own.data(), received_count, received, 1, tag, comm, ignored); }),
      way(
          "contiguous", host, false, [=, &host](long) { PMPI_Send(host.data(), all, MPI_DOUBLE, 0, tag, comm); },
          [=, &host](long) { PMPI_Recv(host.data(), all, MPI_DOUBLE, 1, tag, comm, ignored); }),
      way(
          "manual", host, true,
          [=, &host, &scratch](long) {
            if (!scatter) host.turn_into(scratch.data());
            PMPI_Send(scatter ? host.data() : scratch.data(), all, MPI_DOUBLE, 0, tag, comm);
          },
          [=, &host, &scratch](long) {
            PMPI_Recv(scatter ? scratch.data() : host.data(), all, MPI_DOUBLE, 1, tag, comm, ignored);
            if (scatter) scratch.turn_into(host.data());
          }),
  };
}

/// Rank 1 packs alone. Rank 0 does nothing.
std::vector<Way> packing(bool sender, const Buffers& buffers, MPI_Datatype turned) {
  const auto way = [&](std::string name, const Matrix& data, auto pack) -> Way {
    if (!sender) return {std::move(name), [](long) {}, [](long) {}};
    return {std::move(name), [&data](long number) { data.write(number); },
            [&data, &scratch = buffers.scratch, turned, pack](long) {
              int position = 0;
              pack(data.data(), 1, turned, scratch.data(), static_cast<int>(scratch.bytes()), &position, MPI_COMM_SELF);
            }};
  };
  return {way("host", buffers.host, PMPI_Pack), way("interposed", buffers.interposed(), MPI_Pack)};
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_{options}, stage_{MPI_COMM_WORLD, crowded(2)}, report_{stage_, "transpose"} {
    pace_.budget_ns = options.budget_ms * 1e6;
    if (options.quick) pace_ = {.rounds = 12, .at_least = 3, .budget_ns = options.budget_ms * 1e5};
  }

  bool run() {
    report_.plan(static_cast<long>(options_.sizes.size()));
    for (const long n : options_.sizes) {
      const Type type = column_major(n);
      const Buffers buffers{n, options_.mapped};
      const bool sender = stage_.rank() == 1;
      const std::string name = "n=" + std::to_string(n);
      std::vector<Way> ways = ways_of(sender, options_.scatter, buffers, type);
      choose(ways, options_.ways);
      report_.check(ways, name);
      const char* metric = options_.scatter ? "scatter" : "latency";
      report_.measured(ways, Clock::arrival, pace_, {{"case", name}, {"metric", metric}, {"bytes", buffers.host.bytes()}});
      if (!options_.no_pack) {
        std::vector<Way> alone = packing(sender, buffers, type);
        choose(alone, options_.ways);
        report_.measured(alone, Clock::sender, pace_, {{"case", name}, {"metric", "pack"}, {"bytes", buffers.host.bytes()}});
      }
      report_.done(name);
    }
    return report_.all_right();
  }

 private:
  const Options& options_;
  Stage stage_;
  Report report_;
  Pace pace_;
};

}  // namespace
}  // namespace heddle::bench::transpose

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::transpose::Options options;
  heddle::bench::CommandLine line{"A matrix transposed on its way from rank 1 to rank 0; prints JSON lines."};
  line.option("--sizes", options.sizes, "Rows of the matrices").between(2, 8192);
  line.option("--ways", options.ways, "host, interposed, contiguous, manual");
  line.option("--budget", options.budget_ms, "Milliseconds for each size").between(1.0, 1e5);
  line.flag("--mapped", options.mapped, "Memory from heddle_alloc, not malloc");
  line.flag("--scatter", options.scatter, "Contiguous at the sender, column after column at the receiver");
  line.flag("--no-pack", options.no_pack, "Do not measure packing alone");
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 2, [&] { return heddle::bench::transpose::Bench{options}.run(); });
}
