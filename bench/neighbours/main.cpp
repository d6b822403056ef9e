// bench/neighbours/main.cpp: exchanges with few of many ranks. Prints JSON lines.
//
//   heddle run -n 8 -- heddle-bench-neighbours-mpich --case ring
//   heddle run -n 8 -- heddle-bench-neighbours-mpich --case halo
//
// ring   MPI_Alltoallw of a strided 10 x 10 matrix of doubles to both neighbours of a ring, and no
// data
//        to other ranks (Balaji et al. 2007, figure 15)
// halo   MPI_Neighbor_alltoallw of the faces, edges and corners of a cube of 32^3 doubles with a
// halo, to
//        26 neighbours
//
// Ways:
//   host, interposed   PMPI_ and MPI_ names
//   kept, host-kept    persistent: MPI_Start and MPI_Wait
//   contiguous         the same bytes without holes by PMPI_Isend and PMPI_Irecv
//   round-robin        ring only: PMPI_Sendrecv with all ranks, mostly of zero bytes. Figure 15 compares with it
#include <mpi.h>

#include <array>

#include "common/command_line.hpp"
#include "common/datatype.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "neighbours/late.hpp"

namespace heddle::bench::neighbours {
namespace {

struct Options {
  std::string what = "ring";
  std::vector<std::string> ways = {"host", "interposed", "contiguous", "round-robin", "kept", "host-kept"};
  bool quick = false;
  bool late = false;
  double budget_ms = 1000;
};

/// The partners of a rank, and the memory. Block i goes to rank to[i], and comes from rank from[i].
struct Plan {
  std::vector<int> to, from;
  std::vector<Type> out_types, in_types;
  std::vector<long> bytes;
  std::vector<double> out, in;
};

Plan ring(int me, int ranks) {
  Plan plan;
  constexpr int rows = 10;
  constexpr int width = 16;
  for (const int step : {1, ranks - 1}) {
    plan.to.push_back((me + step) % ranks);
    plan.from.push_back((me + ranks - step) % ranks);
    for (std::vector<Type>* types : {&plan.out_types, &plan.in_types}) types->push_back(vector(rows, 10, width, MPI_DOUBLE));
    plan.bytes.push_back(rows * 80L);
  }
  plan.out.resize(static_cast<std::size_t>(rows) * width);
  plan.in.resize(2 * plan.out.size());
  return plan;
}

/// The ranks form a periodic 2 x 2 x 2 grid, or the grid that their number allows. So one rank is
/// several neighbours of another.
Plan halo(int me, int ranks) {
  Plan plan;
  std::array<int, 3> sizes{};
  MPI_Dims_create(ranks, 3, sizes.data());
  const std::array<int, 3> mine = {me / (sizes[1] * sizes[2]), me / sizes[2] % sizes[1], me % sizes[2]};
  constexpr int inner = 32;
  const std::vector<int> whole(3, inner + 2);
  const auto rank_at = [&](int x, int y, int z) {
    const auto around = [&](std::size_t d, int step) { return (mine[d] + step + sizes[d]) % sizes[d]; };
    return (around(0, x) * sizes[1] + around(1, y)) * sizes[2] + around(2, z);
  };
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const std::array<int, 3> way = {x, y, z};
        std::vector<int> size, out_at, in_at;
        long bytes = 8;
        for (const int step : way) {
          size.push_back(step == 0 ? inner : 1);
          out_at.push_back(step == 1 ? inner : 1);
          in_at.push_back(step == 0 ? 1 : step == 1 ? 0 : inner + 1);  // from the other side
          bytes *= size.back();
        }
        plan.to.push_back(rank_at(x, y, z));
        plan.from.push_back(rank_at(-x, -y, -z));
        plan.out_types.push_back(box(whole, size, out_at, MPI_DOUBLE));
        plan.in_types.push_back(box(whole, size, in_at, MPI_DOUBLE));
        plan.bytes.push_back(bytes);
      }
  constexpr std::size_t side = inner + 2;
  plan.out.resize(side * side * side);
  plan.in.resize(plan.out.size());
  return plan;
}

/// The calls, with the arguments of a plan.
class Exchange {
 public:
  Exchange(Plan plan, bool graph, int me, int ranks) : plan_(std::move(plan)), graph_(graph), me_(me), ranks_(ranks) {
    const std::size_t degree = plan_.to.size();
    const std::size_t blocks = graph ? degree : static_cast<std::size_t>(ranks);
    counts_.assign(blocks, 0), out_places_.assign(blocks, 0), in_places_.assign(blocks, 0);
    out_types_.assign(blocks, MPI_DOUBLE), in_types_.assign(blocks, MPI_DOUBLE);
    for (std::size_t i = 0; i < degree; ++i) {
      for (std::vector<Type>* types : {&plan_.out_types, &plan_.in_types}) MPI_Type_commit((*types)[i].address());
      const std::size_t to = graph ? i : static_cast<std::size_t>(plan_.to[i]);
      const std::size_t from = graph ? i : static_cast<std::size_t>(plan_.from[i]);
      counts_[to] = 1;
      out_types_[to] = plan_.out_types[i];
      in_types_[from] = plan_.in_types[i];
      if (!graph) in_places_[from] = static_cast<MPI_Aint>(i * plan_.in.size() / degree * sizeof(double));
      flat_.emplace_back(static_cast<std::size_t>(plan_.bytes[i] / 8));
    }
    flat_in_ = flat_;
    int_out_places_.assign(out_places_.begin(), out_places_.end());
    int_in_places_.assign(in_places_.begin(), in_places_.end());
    const int n = static_cast<int>(degree);
    if (graph)
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, plan_.from.data(), MPI_UNWEIGHTED, n, plan_.to.data(), MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &comm_);
  }
  ~Exchange() {
    for (MPI_Request& request : kept_)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    if (comm_ != MPI_COMM_WORLD) MPI_Comm_free(&comm_);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void write(long number) {
    for (std::size_t i = 0; i < plan_.out.size(); ++i) plan_.out[i] = static_cast<double>(me_) * 1e6 + static_cast<double>(i);
    if (number == 0) plan_.in.assign(plan_.in.size(), -1);
  }
  /// The values of all arrived data, to compare with the blocking call.
  [[nodiscard]] double sum() const {
    double all = 0;
    for (std::size_t i = 0; i < plan_.in.size(); ++i) all += plan_.in[i] * static_cast<double>(i % 97 + 1);
    return all;
  }

  template <class Alltoallw, class Neighbour>
  void call(Alltoallw alltoallw, Neighbour neighbour) {
    if (graph_)
      neighbour(plan_.out.data(), counts_.data(), out_places_.data(), out_types_.data(), plan_.in.data(), counts_.data(),
                in_places_.data(), in_types_.data(), comm_);
    else
      alltoallw(plan_.out.data(), counts_.data(), int_out_places_.data(), out_types_.data(), plan_.in.data(), counts_.data(),
                int_in_places_.data(), in_types_.data(), comm_);
  }
  template <class Alltoallw, class Neighbour>
  void keep(int which, Alltoallw alltoallw, Neighbour neighbour) {
    MPI_Request& request = kept_[static_cast<std::size_t>(which)];
    if (request != MPI_REQUEST_NULL) return;
    if (graph_)
      neighbour(plan_.out.data(), counts_.data(), out_places_.data(), out_types_.data(), plan_.in.data(), counts_.data(),
                in_places_.data(), in_types_.data(), comm_, MPI_INFO_NULL, &request);
    else
      alltoallw(plan_.out.data(), counts_.data(), int_out_places_.data(), out_types_.data(), plan_.in.data(), counts_.data(),
                int_in_places_.data(), in_types_.data(), comm_, MPI_INFO_NULL, &request);
  }
  MPI_Request* kept(int which) { return &kept_[static_cast<std::size_t>(which)]; }

  void bare() {
    requests_.clear();
    for (std::size_t i = 0; i < flat_.size(); ++i)
      PMPI_Irecv(flat_in_[i].data(), static_cast<int>(flat_in_[i].size()), MPI_DOUBLE, plan_.from[i], static_cast<int>(i),
                 MPI_COMM_WORLD, &requests_.emplace_back());
    for (std::size_t i = 0; i < flat_.size(); ++i)
      PMPI_Isend(flat_[i].data(), static_cast<int>(flat_[i].size()), MPI_DOUBLE, plan_.to[i], static_cast<int>(i),
                 MPI_COMM_WORLD, &requests_.emplace_back());
    PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  void round_robin() {
    for (int k = 1; k < ranks_; ++k) {
      const auto to = static_cast<std::size_t>((me_ + k) % ranks_);
      const auto from = static_cast<std::size_t>((me_ + ranks_ - k) % ranks_);
      PMPI_Sendrecv(plan_.out.data(), counts_[to], out_types_[to], static_cast<int>(to), 0,
                    reinterpret_cast<std::byte*>(plan_.in.data()) + in_places_[from], counts_[from], in_types_[from],
                    static_cast<int>(from), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  [[nodiscard]] long bytes() const {
    long all = 0;
    for (const long each : plan_.bytes) all += each;
    return all;
  }

 private:
  Plan plan_;
  bool graph_;
  int me_, ranks_;
  MPI_Comm comm_ = MPI_COMM_WORLD;
  std::vector<int> counts_, int_out_places_, int_in_places_;
  std::vector<MPI_Aint> out_places_, in_places_;
  std::vector<MPI_Datatype> out_types_, in_types_;
  std::vector<std::vector<double>> flat_, flat_in_;
  std::vector<MPI_Request> requests_;
  std::array<MPI_Request, 2> kept_ = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

bool run(const Options& options) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const GiveWay give_way{crowded(ranks)};
  Stage stage{MPI_COMM_WORLD, crowded(ranks)};
  Report report{stage, "neighbours"};
  const bool graph = options.what == "halo";
  Exchange exchange{graph ? halo(stage.rank(), ranks) : ring(stage.rank(), ranks), graph, stage.rank(), ranks};
  Pace pace{.budget_ns = options.budget_ms * 1e6, .burst_ns = 5e6};
  if (options.quick) pace = {.rounds = 20, .at_least = 5, .budget_ns = options.budget_ms * 2e5, .burst_ns = 1e6};
  report.plan(1);

  exchange.write(0);
  exchange.call(PMPI_Alltoallw, PMPI_Neighbor_alltoallw);
  const double right = exchange.sum();
  const auto write = [&](long number) { exchange.write(number); };
  const auto verify = [&]() -> std::string { return exchange.sum() == right ? "" : "not what the host's call brings"; };
  const auto restart = [&](int which, auto alltoallw, auto neighbour, auto start, auto wait) {
    return [&, which, alltoallw, neighbour, start, wait](long) {
      exchange.keep(which, alltoallw, neighbour);
      start(exchange.kept(which));
      wait(exchange.kept(which), MPI_STATUS_IGNORE);
    };
  };
  std::vector<Way> ways = {
      {"host", write, [&](long) { exchange.call(PMPI_Alltoallw, PMPI_Neighbor_alltoallw); }, verify},
      {"interposed", write, [&](long) { exchange.call(MPI_Alltoallw, MPI_Neighbor_alltoallw); }, verify},
      {"contiguous", write, [&](long) { exchange.bare(); }},
      {"round-robin", write, [&](long) { exchange.round_robin(); }, verify},
      {"kept", write, restart(0, MPI_Alltoallw_init, MPI_Neighbor_alltoallw_init, MPI_Start, MPI_Wait), verify},
      {"host-kept", write, restart(1, PMPI_Alltoallw_init, PMPI_Neighbor_alltoallw_init, PMPI_Start, PMPI_Wait), verify},
  };
  std::vector<std::string> wanted = options.ways;
  if (graph) std::erase(wanted, "round-robin");
  choose(ways, wanted);
  const std::string name = options.what + " P=" + std::to_string(ranks);
  report.check(ways, name);
  report.measured(ways, Clock::everybody, pace, {{"case", name}, {"metric", options.what}, {"bytes", exchange.bytes()}});
  if (options.late) late(stage, report, ways, options.what);
  report.done(name);
  return report.all_right();
}

}  // namespace
}  // namespace heddle::bench::neighbours

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::neighbours::Options options;
  heddle::bench::CommandLine line{"Exchanges with few of many ranks; prints JSON lines."};
  line.option("--case", options.what, "ring, halo").one_of({"ring", "halo"});
  line.option("--ways", options.ways, "host, interposed, contiguous, round-robin, kept, host-kept");
  line.option("--budget", options.budget_ms, "Milliseconds").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  line.flag("--late", options.late, "Then once more with one late rank: how long does each rank stay in the call?");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 64, [&] { return heddle::bench::neighbours::run(options); });
}
