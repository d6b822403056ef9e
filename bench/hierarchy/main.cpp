// bench/hierarchy/main.cpp: ping-pong over a hierarchy of communicators. Each level has the even
// ranks of the level before. Rank 0 exchanges messages with rank 1, and with the last rank
// (Chaarawi and Gabriel 2008, tables 2 to 4). Prints JSON lines.
//
//   heddle run -n 48 -- heddle-bench-hierarchy-mpich
//
// There are two messages. Heddle passes on the first: 8 contiguous bytes, to and fro. The second is
// 64 KiB with holes, one way: for it, Heddle looks up the receiver in the communicator's group.
// MPI_ and PMPI_ names alternate. Only two ranks work at a time, each on its own core.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "common/command_line.hpp"
#include "common/datatype.hpp"
#include "common/give_way.hpp"
#include "common/host.hpp"
#include "common/job.hpp"
#include "common/memory.hpp"
#include "common/ways.hpp"

namespace heddle::bench::hierarchy {
namespace {

using Json = nlohmann::ordered_json;

constexpr int tag = 9;
constexpr long round_trips = 100;
constexpr int rows = 512, row = 16, stride = 64;  // doubles: 64 KiB in pieces of 128 bytes

struct Options {
  double budget_ms = 60;
  int passes = 7;  ///< Passes over all levels, down and up. So a change of the machine's speed affects all levels.
  bool quick = false;
};

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Waits without taking a core from the two working ranks.
void wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done; usleep(5000)) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/// The communicator without its odd ranks. Odd ranks get MPI_COMM_NULL.
MPI_Comm without_odd(MPI_Comm comm) {
  MPI_Group all = MPI_GROUP_NULL, even = MPI_GROUP_NULL;
  int odd[1][3] = {{1, size_of(comm) - 1, 2}};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Group_range_excl(all, 1, odd, &even);
  MPI_Comm_create(comm, even, &made);
  MPI_Group_free(&even);
  MPI_Group_free(&all);
  return made;
}

/// Rank 1 of a stage sends first, so rank 0 of the communicator is rank 1 of the stage.
template <class Send, class Receive>
Way to_and_fro(const char* name, bool begins, MPI_Comm comm, int peer, long* word, Send send, Receive receive) {
  return {name, [](long) {},
          [=](long number) {
            for (long trip = 0; trip < round_trips; ++trip) {
              if (begins) *word = number + trip, send(word, 1, MPI_LONG, peer, tag, comm);
              receive(word, 1, MPI_LONG, peer, tag, comm, MPI_STATUS_IGNORE);
              if (!begins) ++*word, send(word, 1, MPI_LONG, peer, tag, comm);
            }
          },
          [=] { return std::string(*word == round_trips ? "" : "the last answer is not right"); }};
}

template <class Send, class Receive>
Way one_way(const char* name, bool begins, MPI_Comm comm, int peer, const Memory& matrix, MPI_Datatype type, Send send,
            Receive receive) {
  const auto each = [&matrix](auto take) {
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < row; ++j) take(matrix.as<double>()[i * stride + j], static_cast<double>(i * row + j));
  };
  if (begins)
    return {name, [=](long number) { each([=](double& at, double place) { at = place + static_cast<double>(number); }); },
            [=, &matrix](long) { send(matrix.data(), 1, type, peer, tag, comm); }};
  return {name, [](long) {}, [=, &matrix](long) { receive(matrix.data(), 1, type, peer, tag, comm, MPI_STATUS_IGNORE); },
          [=] {
            long wrong = 0;
            each([&](double at, double place) { wrong += at != place; });
            return wrong ? std::to_string(wrong) + " elements are wrong" : std::string();
          }};
}

/// The format in which Heddle keeps the group, or "" without Heddle (src/mpi/calls/call_hooks.cpp).
std::string kept_as(MPI_Comm comm) {
  using Format = const char* (*)(MPI_Comm, int*, int*);
  const auto format = reinterpret_cast<Format>(dlsym(RTLD_DEFAULT, "heddle_seen_format"));
  int known = 0, bytes = 0;
  const char* const name = format ? format(comm, &known, &bytes) : nullptr;
  return name ? name : "";
}

class Pair {
 public:
  /// Measures between rank 0 and rank `peer` of `comm`. Only these two call it.
  Pair(MPI_Comm comm, int peer, const std::vector<int>& cores, const Options& options)
      : comm_(comm),
        first_(rank_in(comm) == 0),
        peer_(first_ ? peer : 0),
        options_(options),
        pair_(split()),
        stage_(pair_, false) {
    go_first();
    pin(cores[static_cast<std::size_t>(stage_.rank()) % cores.size()]);
  }
  ~Pair() { MPI_Comm_free(&pair_); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  bool measure(const std::string& name) {
    const Memory word{sizeof(long), Origin::malloc};
    const Memory matrix{sizeof(double) * rows * stride, Origin::malloc};
    Type type = vector(rows, row, stride, MPI_DOUBLE);
    MPI_Type_commit(type.address());
    std::vector<Way> small, large;
    const auto add = [&](const char* way, auto send, auto receive) {
      small.push_back(to_and_fro(way, first_, comm_, peer_, word.as<long>(), send, receive));
      large.push_back(one_way(way, first_, comm_, peer_, matrix, type, send, receive));
    };
    const std::string who = interposer();
    add("host", PMPI_Send, PMPI_Recv);
    if (who != "host") add(who.c_str(), MPI_Send, MPI_Recv);
    const bool agreed = time(small, Clock::sender, name, "8 B", 8, 2.0 * round_trips);
    return time(large, Clock::arrival, name, "64 KiB with holes", sizeof(double) * rows * row, 1) && agreed;
  }

 private:
  [[nodiscard]] MPI_Comm split() const {
    const int ranks[2] = {0, first_ ? peer_ : rank_in(comm_)};
    MPI_Group all = MPI_GROUP_NULL, two = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    const int swapped[2] = {ranks[1], ranks[0]};  // rank 1 of the stage sends first
    MPI_Comm_group(comm_, &all);
    MPI_Group_incl(all, 2, swapped, &two);
    MPI_Comm_create_group(comm_, two, tag + 1, &made);
    MPI_Group_free(&two);
    MPI_Group_free(&all);
    return made;
  }

  bool time(std::vector<Way>& ways, Clock clock, const std::string& name, const char* metric, std::size_t bytes,
            double messages) {
    bool right = true;
    drop_wrong(stage_, ways, [&](const std::string& way, const std::string& why) {
      right = false;
      std::cout << Json({{"wrong", name + ", " + metric + ", " + way}, {"why", why}}).dump() << std::endl;
    });
    Pace pace{.rounds = 200, .budget_ns = options_.budget_ms * 1e6};
    if (options_.quick) pace = {.rounds = 5, .at_least = 2, .budget_ns = options_.budget_ms * 1e5};
    heddle::bench::measure(stage_, ways, clock, pace);
    const std::string kept = kept_as(comm_);
    const double line = stage_.line_ns();
    if (stage_.rank() != 0) return right;
    const auto print = [&](const std::string& way, const std::string& what, const char* unit, double scale, const Spread& of) {
      std::cout << Json({{"bench", "groups"},
                         {"case", name},
                         {"variant", way},
                         {"metric", what},
                         {"value", of.median * scale},
                         {"unit", unit},
                         {"lower", of.lower * scale},
                         {"upper", of.upper * scale},
                         {"best", of.best * scale},
                         {"samples", of.samples},
                         {"bytes", bytes},
                         {"pattern", kept},
                         {"line_ns", line}})
                       .dump()
                << std::endl;
    };
    for (const Way& way : ways) {
      print(way.name, metric, "us", 1e-3 / messages, way.mostly().ns);
      if (way.name != "host")
        print(way.name, std::string(metric) + " over host", "1", 1, ratio(way.mostly(), ways.front().mostly()));
    }
    return right;
  }

  MPI_Comm comm_;
  bool first_;
  int peer_;
  const Options& options_;
  MPI_Comm pair_;
  Stage stage_;
};

bool run(const Options& options) {
  const std::vector<int> allowed = cores();
  const int world = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  std::vector<MPI_Comm> levels{MPI_COMM_WORLD};
  for (int size = ranks; size > 2; size = (size + 1) / 2)
    levels.push_back(levels.back() == MPI_COMM_NULL ? MPI_COMM_NULL : without_odd(levels.back()));
  const int passes = options.quick ? 1 : options.passes;
  if (world == 0)
    std::cout << Json({{"plan", std::ssize(levels) * 2 * passes},
                       {"mpi", library_name()},
                       {"interposer", interposer()},
                       {"core", allowed.front()},
                       {"pinning", "a core each for the two that work"}})
                     .dump()
              << std::endl;
  bool right = true;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t turn = 0; turn < 2 * levels.size(); ++turn) {
      const std::size_t which = pass % 2 == 0 ? turn : 2 * levels.size() - 1 - turn;
      const MPI_Comm comm = levels[which / 2];
      const bool last = which % 2 != 0;
      const int peer = comm == MPI_COMM_NULL ? 0 : last ? size_of(comm) - 1 : 1;
      const std::string name = "level " + std::to_string(which / 2) + (last ? ", 0-last" : ", 0-first");
      if (comm != MPI_COMM_NULL && (rank_in(comm) == 0 || rank_in(comm) == peer))
        right = Pair(comm, peer, allowed, options).measure(name) && right;
      wait_for_all();
      if (world == 0) std::cout << Json({{"done", name}}).dump() << std::endl;
    }
  }
  for (MPI_Comm& comm : levels)
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  return right;
}

}  // namespace
}  // namespace heddle::bench::hierarchy

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::hierarchy::Options options;
  heddle::bench::CommandLine line{"Ping-pong over communicators without odd ranks, level by level; prints JSON lines."};
  line.option("--budget", options.budget_ms, "Milliseconds for each case").between(1.0, 1e5);
  line.option("--passes", options.passes, "Passes over all levels").between(1, 1000);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 512, [&] { return heddle::bench::hierarchy::run(options); });
}
