// bench/vector/main.cpp: rank 1 sends k columns of a matrix of 128 × 4096 ints to rank 0. Measures
// latency, and bandwidth with a window of messages (Wu, Wyckoff, Panda 2004, figures 2, 6, 7, 10,
// 12). Prints JSON lines.
//
//   heddle run -n 2 -- heddle-bench-vector-mpich --columns 64 1024
//
// Ways:
//   host         the library's datatypes, by PMPI_ names
//   interposed   the same by MPI_ names
//   contiguous   the same bytes without holes, by PMPI_ names
//   manual       a loop packs, and another unpacks; PMPI_ names
//   multiple     a message for each row, by PMPI_ names
#include <mpi.h>

#include <algorithm>
#include <memory>

#include "common/command_line.hpp"
#include "common/datatype.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"
#include "vector/columns.hpp"

namespace heddle::bench::columns {
namespace {

struct Options {
  std::vector<long> columns = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  std::vector<std::string> ways = {"host", "interposed", "contiguous", "manual", "multiple"};
  std::vector<long> bandwidth_columns;  ///< Empty: all.
  long window = 100;
  bool quick = false, latency = true, bandwidth = true, changing = false, mapped = false;
  double budget_ms = 600;
};

constexpr int tag = 7;
const MPI_Datatype datum = MPI_INT;

/// The buffers of a rank, for one k.
struct Buffers {
  Buffers(const Layout& layout, bool mapped)
      : host{layout, mapped ? Origin::host_alloc_mem : Origin::malloc},
        own{mapped ? std::make_unique<Columns>(layout, Origin::heddle_alloc) : nullptr},
        flat{layout, mapped ? Origin::host_alloc_mem : Origin::malloc},
        packed(static_cast<std::size_t>(rows * layout.columns)) {}
  [[nodiscard]] const Columns& interposed() const { return own ? *own : host; }

  Columns host;
  std::unique_ptr<Columns> own;  ///< Memory of heddle_alloc.
  Flat flat;
  std::vector<std::int32_t> packed;
};

/// A rank's part of a way. The receiver wipes its memory before message 0, and checks it
/// afterwards.
template <class Data, class Send, class Receive>
Way way(std::string name, bool sender, const Data& data, long messages, Send send, Receive receive) {
  if (sender) {
    return {std::move(name),
            [&data, messages](long number) {
              for (long i = 0; i < messages; ++i) data.write(number * messages + i);
            },
            send};
  }
  return {std::move(name),
          [&data](long number) {
            if (number == 0) data.wipe();
          },
          receive, [&data, messages] { return data.compare(messages); }};
}

std::vector<Way> latency_ways(bool sender, const Buffers& buffers, const Type& type, long columns) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto ignored = MPI_STATUS_IGNORE;
  const auto ints = static_cast<int>(rows * columns);
  const Columns &host = buffers.host, &own = buffers.interposed();
  const Flat& flat = buffers.flat;
  auto* const packed = const_cast<std::int32_t*>(buffers.packed.data());
  const MPI_Datatype vector = type;
  const auto by_rows = [=, &host](auto transfer, int peer, long number) {
    MPI_Request requests[rows];
    for (long row = 0; row < rows; ++row)
      transfer(host.at(number) + row * row_ints, static_cast<int>(columns), datum, peer, tag, comm, &requests[row]);
    PMPI_Waitall(rows, requests, MPI_STATUSES_IGNORE);
  };
  std::vector<Way> ways;
  ways.push_back(way(
      "host", sender, host, 1, [=, &host](long number) { PMPI_Send(host.at(number), 1, vector, 0, tag, comm); },
      [=, &host](long number) { PMPI_Recv(host.at(number), 1, vector, 1, tag, comm, ignored); }));
  ways.push_back(way(
      "interposed", sender, own, 1, [=, &own](long number) { MPI_Send(own.at(number), 1, vector, 0, tag, comm); },
      [=, &own](long number) { MPI_Recv(own.at(number), 1, vector, 1, tag, comm, ignored); }));
  ways.push_back(way(
      "contiguous", sender, flat, 1, [=, &flat](long number) { PMPI_Send(flat.at(number), ints, datum, 0, tag, comm); },
      [=, &flat](long number) { PMPI_Recv(flat.at(number), ints, datum, 1, tag, comm, ignored); }));
  ways.push_back(way(
      "manual", sender, host, 1,
      [=, &host](long number) {
        host.pack(number, packed);
        PMPI_Send(packed, ints, datum, 0, tag, comm);
      },
      [=, &host](long number) {
        PMPI_Recv(packed, ints, datum, 1, tag, comm, ignored);
        host.unpack(number, packed);
      }));
  ways.push_back(way(
      "multiple", sender, host, 1, [=](long number) { by_rows(PMPI_Isend, 0, number); },
      [=](long number) { by_rows(PMPI_Irecv, 1, number); }));
  return ways;
}

/// Sends a window of messages at once, then receives an empty reply.
std::vector<Way> bandwidth_ways(bool sender, const Buffers& buffers, const Type& type, long columns, long window) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto ints = static_cast<int>(rows * columns);
  const auto pushed = [=](auto isend, auto waitall, const auto& data, int count, MPI_Datatype each) {
    return [=, &data](long) {
      std::vector<MPI_Request> requests(static_cast<std::size_t>(window));
      for (long i = 0; i < window; ++i) isend(data.at(i), count, each, 0, tag, comm, &requests[static_cast<std::size_t>(i)]);
      waitall(static_cast<int>(window), requests.data(), MPI_STATUSES_IGNORE);
      PMPI_Recv(nullptr, 0, datum, 0, tag, comm, MPI_STATUS_IGNORE);
    };
  };
  const auto taken = [=](auto irecv, auto waitall, const auto& data, int count, MPI_Datatype each) {
    return [=, &data](long) {
      std::vector<MPI_Request> requests(static_cast<std::size_t>(window));
      for (long i = 0; i < window; ++i) irecv(data.at(i), count, each, 1, tag, comm, &requests[static_cast<std::size_t>(i)]);
      waitall(static_cast<int>(window), requests.data(), MPI_STATUSES_IGNORE);
      PMPI_Send(nullptr, 0, datum, 1, tag, comm);
    };
  };
  const Columns &host = buffers.host, &own = buffers.interposed();
  const Flat& flat = buffers.flat;
  std::vector<Way> ways;
  ways.push_back(way("host", sender, host, window, pushed(PMPI_Isend, PMPI_Waitall, host, 1, type),
                     taken(PMPI_Irecv, PMPI_Waitall, host, 1, type)));
  ways.push_back(way("interposed", sender, own, window, pushed(MPI_Isend, MPI_Waitall, own, 1, type),
                     taken(MPI_Irecv, MPI_Waitall, own, 1, type)));
  ways.push_back(way("contiguous", sender, flat, window, pushed(PMPI_Isend, PMPI_Waitall, flat, ints, datum),
                     taken(PMPI_Irecv, PMPI_Waitall, flat, ints, datum)));
  for (Way& each : ways) each.lead_ns = 200.0 * static_cast<double>(window);
  return ways;
}

class Bench {
 public:
  Bench(const Options& options) : options_{options}, stage_{MPI_COMM_WORLD, crowded(2)}, report_{stage_, "vector"} {
    pace_.budget_ns = options.budget_ms * 1e6;
    if (options.quick) pace_ = {.rounds = 12, .at_least = 3, .budget_ns = options.budget_ms * 1e5};
  }

  bool run() {
    report_.plan(steps());
    for (const long columns : options_.columns) {
      Type type = vector(rows, static_cast<int>(columns), row_ints, datum);
      MPI_Type_commit(type.address());
      if (options_.latency) {
        const Layout layout{columns, options_.changing ? 32 : 1, options_.changing};
        const Buffers buffers{layout, options_.mapped};
        time(latency_ways(sender(), buffers, type, columns), columns, 1);
      }
      if (with_bandwidth(columns)) {
        const Buffers buffers{{columns, options_.window, false}, options_.mapped};
        time(bandwidth_ways(sender(), buffers, type, columns, options_.window), columns, options_.window);
      }
    }
    return report_.all_right();
  }

 private:
  [[nodiscard]] bool with_bandwidth(long columns) const {
    const std::vector<long>& only = options_.bandwidth_columns;
    return options_.bandwidth && (only.empty() || std::ranges::find(only, columns) != only.end());
  }

  [[nodiscard]] long steps() const {
    return std::ranges::count_if(options_.columns, [this](long columns) { return with_bandwidth(columns); }) +
           (options_.latency ? std::ssize(options_.columns) : 0);
  }

  [[nodiscard]] bool sender() const { return stage_.rank() == 1; }

  void time(std::vector<Way> ways, long columns, long messages) {
    const std::string name = "k=" + std::to_string(columns);
    choose(ways, options_.ways);
    report_.check(ways, name);
    const long bytes = rows * columns * static_cast<long>(sizeof(std::int32_t));
    const bool window = messages > 1;
    report_.measured(ways, Clock::arrival, pace_,
                     {{"case", name}, {"metric", window ? "bandwidth" : "latency"}, {"bytes", bytes}},
                     {.rate_bytes = window ? static_cast<double>(bytes * messages) : 0});
    report_.done(name);
  }

  const Options& options_;
  Stage stage_;
  Report report_;
  Pace pace_;
};

}  // namespace
}  // namespace heddle::bench::columns

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::columns::Options options;
  bool no_latency = false, no_bandwidth = false;
  heddle::bench::CommandLine line{"Columns of a matrix from rank 1 to rank 0; prints JSON lines."};
  line.option("--columns", options.columns, "Numbers of columns").between(1, 4096);
  line.option("--bandwidth-columns", options.bandwidth_columns, "Numbers of columns for the bandwidth (default: --columns)");
  line.option("--ways", options.ways, "host, interposed, contiguous, manual, multiple");
  line.option("--window", options.window, "Messages at once, for the bandwidth").between(2, 1000);
  line.option("--budget", options.budget_ms, "Milliseconds for each number of columns").between(1.0, 1e5);
  line.flag("--changing", options.changing, "Another array for each message");
  line.flag("--mapped", options.mapped, "Memory from heddle_alloc, not malloc");
  line.flag("--no-latency", no_latency, "Do not measure latency");
  line.flag("--no-bandwidth", no_bandwidth, "Do not measure bandwidth");
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  options.latency = !no_latency;
  options.bandwidth = !no_bandwidth;
  return heddle::bench::as_job(argc, argv, 2, 2, [&] { return heddle::bench::columns::Bench{options}.run(); });
}
