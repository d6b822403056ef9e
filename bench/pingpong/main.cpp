// bench/pingpong/main.cpp: measures the cost of an interposer for a program without holes in its
// data. Two ranks exchange contiguous messages by MPI_ and by PMPI_ names. Prints JSON lines.
//
//   heddle run -n 2 -- heddle-bench-pingpong-mpich --bytes 8
//
// A sample of small messages has many round trips. Large messages are timed one way, and rewritten
// before each. Run it with Heddle preloaded, with the null Heddle and without: PMPI_ calls also
// have the cost of a progress hook.
#include <mpi.h>

#include <algorithm>

#include "common/command_line.hpp"
#include "common/job.hpp"
#include "common/memory.hpp"
#include "common/report.hpp"

namespace heddle::bench::pingpong {
namespace {

struct Options {
  std::vector<long> bytes = {8, 1024, 1 << 20};
  bool quick = false;
  double budget_ms = 800;
};

constexpr int tag = 9;
constexpr long small = 64 << 10, round_trips = 100;

/// Rewrites every byte of the message.
void write(const Memory& buffer, long bytes, long number) {
  auto* const words = buffer.as<std::int64_t>();
  for (long i = 0; i < bytes / 8; ++i) words[i] = number + i;
}

std::string compare(const Memory& buffer, long bytes, long number) {
  for (long i = 0; i < bytes / 8; ++i)
    if (buffer.as<std::int64_t>()[i] != number + i) return "word " + std::to_string(i) + " is not what was sent";
  return {};
}

template <class Send, class Receive>
Way one_way(std::string name, bool sender, const Memory& buffer, long bytes, Send send, Receive receive) {
  const auto count = static_cast<int>(bytes);
  if (sender)
    return {std::move(name), [=, &buffer](long number) { write(buffer, bytes, number); },
            [=, &buffer](long) { send(buffer.data(), count, MPI_BYTE, 0, tag, MPI_COMM_WORLD); }};
  return {std::move(name), [](long) {},
          [=, &buffer](long) { receive(buffer.data(), count, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
          [=, &buffer] { return compare(buffer, bytes, 0); }};
}

template <class Send, class Receive>
Way to_and_fro(std::string name, bool first, const Memory& buffer, long bytes, Send send, Receive receive) {
  const auto count = static_cast<int>(bytes);
  return {std::move(name), [](long) {},
          [=, &buffer](long number) {
            for (long trip = 0; trip < round_trips; ++trip) {
              if (first) {
                write(buffer, bytes, number + trip);
                send(buffer.data(), count, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
                receive(buffer.data(), count, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
              } else {
                receive(buffer.data(), count, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                write(buffer, bytes, buffer.as<std::int64_t>()[0] + 1);
                send(buffer.data(), count, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
              }
            }
          },
          [=, &buffer] { return compare(buffer, bytes, round_trips); }};  // the answer to the last message
}

bool run(const Options& options) {
  Stage stage{MPI_COMM_WORLD, crowded(2)};
  Report report{stage, "pingpong"};
  Pace pace{.rounds = 200, .budget_ns = options.budget_ms * 1e6};
  if (options.quick) pace = {.rounds = 40, .budget_ns = options.budget_ms * 2e5};
  report.plan(std::ssize(options.bytes));
  const bool sender = stage.rank() == 1;
  for (const long bytes : options.bytes) {
    const Memory buffer{static_cast<std::size_t>(bytes), Origin::malloc};
    const bool one = bytes > small;
    std::vector<Way> ways;
    const auto add = [&](const char* name, auto send, auto receive) {
      ways.push_back(one ? one_way(name, sender, buffer, bytes, send, receive)
                         : to_and_fro(name, sender, buffer, bytes, send, receive));
    };
    add("host", PMPI_Send, PMPI_Recv);
    add("through", MPI_Send, MPI_Recv);
    const std::string name = std::to_string(bytes) + " B";
    report.check(ways, name);
    report.measured(ways, one ? Clock::arrival : Clock::sender, pace,
                    {{"case", name}, {"metric", "pingpong"}, {"bytes", bytes}}, {.messages = one ? 1.0 : 2.0 * round_trips});
    report.done(name);
  }
  return report.all_right();
}

}  // namespace
}  // namespace heddle::bench::pingpong

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::pingpong::Options options;
  heddle::bench::CommandLine line{"Contiguous messages through MPI_ and PMPI_ names; prints JSON lines."};
  line.option("--bytes", options.bytes, "Sizes, multiples of 8").between(8, 1 << 30);
  line.option("--budget", options.budget_ms, "Milliseconds for each size").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 2, [&] { return heddle::bench::pingpong::run(options); });
}
