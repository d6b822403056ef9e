// bench/links/main.cpp: measures messages of the MPI library between ranks of a node, for `heddle
// tune`. Prints JSON lines.
//
// This is a library for heddle-tool, which runs it with a preloaded MPI. Below, lib stands for
// libheddle_links_mpich.so of the installation:
//
//   heddle run --mpi mpich -n 2 -- heddle-tool links lib --case spare         a core for each rank
//   heddle run --mpi mpich -n 2 -- heddle-tool links lib --case holes         the same, datatypes with holes
//   heddle run --mpi mpich -n 16 -- heddle-tool links lib --case shared       ranks that share cores
//   mpiexec -n 2 --host a,b heddle-tool links lib --case nodes                between nodes (nodes.hpp), only libmpi preloaded
//
// The variants:
//   spare    one       half a round trip of 8 bytes
//            burst     `burst` messages each way at once
//            long      1 MiB one way
//   holes    4 ... 65536   256 KiB one way, in blocks of so many bytes (ints, or doubles), with holes of the same length
//   shared   pairs     MPI_Alltoallv of 8 bytes for all ranks, message by message
//            bundles   the same by the crystal router
//            rounds    MPI_Allgatherv of 8 bytes by dissemination
// Those of "shared" are under Heddle, by hints on communicators.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "links/nodes.hpp"

namespace heddle::bench::links {
namespace {

struct Options {
  std::string what = "spare";
  bool quick = false;
  double budget_ms = 600;
  BetweenNodes nodes{};
};

constexpr int repeats = 50;  // calls in a sample, if a call takes less than a microsecond
constexpr int burst = 16;
constexpr int long_bytes = 1 << 20;
constexpr int holed_bytes = 256 << 10;
constexpr std::array blocks = {4, 16, 64, 256, 1024, 4096, 16384, 65536};  // those of select::Curve
constexpr int tag = 3;

/// Two ranks exchange messages by PMPI_ names.
class Spare {
 public:
  explicit Spare(int me) : me_(me), other_(1 - me), out_(long_bytes), in_(long_bytes) {}

  void to_and_fro(int bytes, int times) {
    for (int i = 0; i < times; ++i) {
      if (me_ == 0) PMPI_Send(out_.data(), bytes, MPI_CHAR, other_, tag, MPI_COMM_WORLD);
      PMPI_Recv(in_.data(), bytes, MPI_CHAR, other_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (me_ == 1) PMPI_Send(out_.data(), bytes, MPI_CHAR, other_, tag, MPI_COMM_WORLD);
    }
  }
  void at_once() {
    for (int i = 0; i < repeats; ++i) {
      std::array<MPI_Request, std::size_t{2} * burst> requests{};
      for (std::size_t k = 0; k < burst; ++k)
        PMPI_Irecv(in_.data() + 64 * k, 8, MPI_CHAR, other_, tag, MPI_COMM_WORLD, &requests[k]);
      for (std::size_t k = 0; k < burst; ++k)
        PMPI_Isend(out_.data() + 64 * k, 8, MPI_CHAR, other_, tag, MPI_COMM_WORLD, &requests[burst + k]);
      PMPI_Waitall(2 * burst, requests.data(), MPI_STATUSES_IGNORE);
    }
  }
  /// Writes live data.
  void write(long number) { std::ranges::fill(out_, static_cast<char>(number)); }

 private:
  int me_, other_;
  std::vector<char> out_, in_;
};

/// Two ranks exchange messages with holes by PMPI_ names, so the library packs them.
class Holed {
 public:
  Holed(int me, int block) : me_(me), other_(1 - me), out_(static_cast<std::size_t>(2) * holed_bytes), in_(out_.size()) {
    const bool shorter = block < static_cast<int>(sizeof(double));  // libraries move bytes more slowly than numbers
    const int numbers = block / static_cast<int>(shorter ? sizeof(int) : sizeof(double));
    PMPI_Type_vector(holed_bytes / block, numbers, 2 * numbers, shorter ? MPI_INT : MPI_DOUBLE, &type_);
    PMPI_Type_commit(&type_);
  }
  Holed(const Holed&) = delete;
  Holed& operator=(const Holed&) = delete;
  ~Holed() { PMPI_Type_free(&type_); }

  void to_and_fro() {
    if (me_ == 0) PMPI_Send(out_.data(), 1, type_, other_, tag, MPI_COMM_WORLD);
    PMPI_Recv(in_.data(), 1, type_, other_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me_ == 1) PMPI_Send(out_.data(), 1, type_, other_, tag, MPI_COMM_WORLD);
  }
  void write(long number) { std::ranges::fill(out_, static_cast<char>(number)); }

 private:
  int me_, other_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<char> out_, in_;
};

/// A communicator on which Heddle uses this algorithm for the collective.
class Hinted {
 public:
  Hinted(const char* key, const char* algorithm) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, algorithm);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm_);
    MPI_Info_free(&info);
  }
  Hinted(const Hinted&) = delete;
  Hinted& operator=(const Hinted&) = delete;
  ~Hinted() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Each rank sends eight bytes to each rank.
class Shared {
 public:
  explicit Shared(int ranks) : counts_(static_cast<std::size_t>(ranks), 8), places_(counts_.size()) {
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = static_cast<int>(8 * i);
    out_.resize(8 * counts_.size());
    in_.resize(out_.size());
  }
  void exchange(const Hinted& by) {
    MPI_Alltoallv(out_.data(), counts_.data(), places_.data(), MPI_CHAR, in_.data(), counts_.data(), places_.data(), MPI_CHAR,
                  by.comm());
  }
  void gather(const Hinted& by) {
    MPI_Allgatherv(out_.data(), 8, MPI_CHAR, in_.data(), counts_.data(), places_.data(), MPI_CHAR, by.comm());
  }

 private:
  std::vector<int> counts_, places_;
  std::vector<char> out_, in_;
};

bool run(const Options& options) {
  if (options.what == "nodes") {
    measure_between_nodes({options.nodes.provider, options.nodes.one_node, options.quick});
    return true;
  }
  int ranks = 0;
  int me = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const GiveWay give_way{crowded(ranks)};
  Stage stage{MPI_COMM_WORLD, crowded(ranks)};
  Report report{stage, "links"};
  Pace pace{.rounds = 200, .budget_ns = options.budget_ms * 1e6};
  if (options.quick) pace = {.rounds = 20, .budget_ns = options.budget_ms * 2e5};
  report.plan(1);
  const auto measure = [&](std::vector<Way> ways, double messages) {
    report.measured(ways, Clock::everybody, pace, {{"case", options.what}, {"metric", "link"}}, {.messages = messages});
  };
  const auto nothing = [](long) {};
  if (options.what == "spare" && ranks == 2) {
    Spare spare(me);
    measure({{"one", nothing, [&](long) { spare.to_and_fro(8, repeats); }}}, 2.0 * repeats);
    measure({{"burst", nothing, [&](long) { spare.at_once(); }}}, repeats);
    measure({{"long", [&](long number) { spare.write(number); }, [&](long) { spare.to_and_fro(long_bytes, 1); }}}, 2);
  } else if (options.what == "holes" && ranks == 2) {
    for (const int block : blocks) {
      Holed holed(me, block);
      measure({{std::to_string(block), [&](long number) { holed.write(number); }, [&](long) { holed.to_and_fro(); }}}, 2);
    }
  } else {
    const Hinted pairs("heddle_alltoallv", "direct"), bundles("heddle_alltoallv", "crystal");
    const Hinted rounds("heddle_allgatherv", "dissemination");
    Shared shared(ranks);
    measure({{"pairs", nothing, [&](long) { shared.exchange(pairs); }},
             {"bundles", nothing, [&](long) { shared.exchange(bundles); }},
             {"rounds", nothing, [&](long) { shared.gather(rounds); }}},
            1);
  }
  report.done(options.what);
  return report.all_right();
}

}  // namespace
}  // namespace heddle::bench::links

/// The function that heddle-tool calls (tool/commands.hpp, `links`).
extern "C" __attribute__((visibility("default"))) int heddle_links(int argc, char** argv) {
  heddle::bench::links::Options options;
  heddle::bench::CommandLine line{"Measures messages between ranks of a node; prints JSON lines."};
  line.option("--case", options.what, "spare, holes or nodes (2 ranks), shared").one_of({"spare", "holes", "nodes", "shared"});
  line.option("--provider", options.nodes.provider, "nodes: provider of libfabric; auto: the fastest");
  line.flag("--one-node", options.nodes.one_node, "nodes: both ranks may be on one machine");
  line.option("--budget", options.budget_ms, "Milliseconds for each measurement").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, options.what == "nodes" ? 2 : 64,
                               [&] { return heddle::bench::links::run(options); });
}
