// bench/alltoall_struct/main.cpp: MPI_Alltoall of structs whose blocks double from one int to x
// ints (Wu, Wyckoff, Panda 2004, figures 8 and 9). Prints JSON lines.
//
//   heddle run -n 4 -- heddle-bench-alltoall-struct-mpich --largest 2048 131072
//
// An exchange lasts from the first rank's entry to the last rank's return. Ways:
//   host         PMPI_ names
//   interposed   MPI_ names
//   contiguous   the same bytes without gaps, by PMPI_ names
//   manual       loops pack and unpack, PMPI_ names
#include <mpi.h>

#include <memory>

#include "alltoall_struct/blocks.hpp"
#include "common/command_line.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/report.hpp"

namespace heddle::bench::blocks {
namespace {

struct Options {
  std::vector<long> largest = {2048, 4096, 8192, 16384, 32768, 65536, 131072};
  std::vector<std::string> ways = {"host", "interposed", "contiguous", "manual"};
  bool quick = false, mapped = false;
  double budget_ms = 1000;
};

/// The data that a rank sends and receives.
struct Buffers {
  Buffers(const Shape& shape, int ranks, Origin host_origin, Origin own_origin)
      : host_out{shape, ranks, host_origin},
        host_in{shape, ranks, host_origin},
        own_out{host_origin == own_origin ? nullptr : std::make_unique<Structs>(shape, ranks, own_origin)},
        own_in{host_origin == own_origin ? nullptr : std::make_unique<Structs>(shape, ranks, own_origin)},
        flat_out{shape, ranks, host_origin},
        flat_in{shape, ranks, host_origin} {}

  Structs host_out, host_in;
  std::unique_ptr<Structs> own_out, own_in;  ///< Memory of heddle_alloc, if the user wants it.
  Flat flat_out, flat_in;
};

/// Makes a way from its data and its call.
template <class Data, class Act>
Way way(std::string name, int rank, const Data& out, const Data& in, Act act) {
  return {std::move(name),
          [&out, &in, rank](long number) {
            out.write(number, rank);
            if (number == 0) in.wipe();
          },
          act, [&in, rank] { return in.compare(0, rank); }};
}

std::vector<Way> ways_of(int rank, const Shape& shape, const Buffers& buffers, MPI_Datatype type) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto ints = static_cast<int>(shape.ints);
  const auto exchange = [=](auto alltoall, const Structs& out, const Structs& in) {
    return [=, &out, &in](long) { alltoall(out.data(), 1, type, in.data(), 1, type, comm); };
  };
  const Structs &out = buffers.host_out, &in = buffers.host_in;
  const Structs &own_out = buffers.own_out ? *buffers.own_out : out, &own_in = buffers.own_in ? *buffers.own_in : in;
  const Flat &flat_out = buffers.flat_out, &flat_in = buffers.flat_in;
  return {
      way("host", rank, out, in, exchange(PMPI_Alltoall, out, in)),
      way("interposed", rank, own_out, own_in, exchange(MPI_Alltoall, own_out, own_in)),
      way("contiguous", rank, flat_out, flat_in,
          [=, &flat_out, &flat_in](long) {
            PMPI_Alltoall(flat_out.data(), ints, MPI_INT, flat_in.data(), ints, MPI_INT, comm);
          }),
      way("manual", rank, out, in,
          [=, &out, &in, &flat_out, &flat_in](long) {
            out.pack(flat_out.data());
            PMPI_Alltoall(flat_out.data(), ints, MPI_INT, flat_in.data(), ints, MPI_INT, comm);
            in.unpack(flat_in.data());
          }),
  };
}

/// Waits: many ranks on few cores disturb each other during the first tenths of a second.
void settle(Stage& stage) {
  constexpr double quiet_ns = 2e8;
  const double since = wall_ns();
  while (stage.from_first(wall_ns() - since < quiet_ns) != 0) PMPI_Barrier(MPI_COMM_WORLD);
}

bool run(const Options& options) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const GiveWay give_way{crowded(ranks)};
  Stage stage{MPI_COMM_WORLD, crowded(ranks)};
  Report report{stage, "alltoall-struct"};
  Pace pace{.budget_ns = options.budget_ms * 1e6, .burst_ns = 1e7};
  if (options.quick) pace = {.rounds = 12, .at_least = 5, .budget_ns = options.budget_ms * 1e5, .burst_ns = 1e6};
  report.plan(std::ssize(options.largest));
  if (crowded(ranks)) settle(stage);
  const Origin host = options.mapped ? Origin::host_alloc_mem : Origin::malloc;
  const Origin own = options.mapped ? Origin::heddle_alloc : Origin::malloc;
  for (const long largest : options.largest) {
    const Shape shape{largest};
    const Type type = shape.type();
    const Buffers buffers{shape, ranks, host, own};
    const std::string name = "x=" + std::to_string(largest);
    std::vector<Way> ways = ways_of(stage.rank(), shape, buffers, type);
    choose(ways, options.ways);
    report.check(ways, name);
    const long bytes = shape.ints * static_cast<long>(sizeof(std::int32_t));
    report.measured(ways, Clock::everybody, pace, {{"case", name}, {"metric", "alltoall"}, {"bytes", bytes}});
    report.done(name);
  }
  return report.all_right();
}

}  // namespace
}  // namespace heddle::bench::blocks

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::blocks::Options options;
  heddle::bench::CommandLine line{"MPI_Alltoall of structs with blocks of doubling size; prints JSON lines."};
  line.option("--largest", options.largest, "Ints of the largest block").between(1, 1 << 24);
  line.option("--ways", options.ways, "host, interposed, contiguous, manual");
  line.option("--budget", options.budget_ms, "Milliseconds for each struct").between(1.0, 1e5);
  line.flag("--mapped", options.mapped, "Memory from heddle_alloc, not malloc");
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 64, [&] { return heddle::bench::blocks::run(options); });
}
