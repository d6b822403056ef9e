// bench/fabric: times the four schemes between two processes of this machine, over a provider of
// libfabric, without MPI. They send columns of the 128 × 4096 matrix of ints of Wu, Wyckoff, Panda
// 2004 (figures 6, 10, 11, 12).
//
//   heddle-bench-fabric --provider shm --json rows.json
//
// A time is one way: from the announcement to the receiver's last byte, with live data. The ways
// take turns in one run. The rows are medians. Every message is checked.
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>

#include "common/command_line.hpp"
#include "layout/layout.hpp"
#include "transport/fabric/incoming.hpp"
#include "transport/fabric/outgoing.hpp"

namespace {

using namespace heddle::transport::fabric;
namespace layout = heddle::layout;

constexpr Count rows = 128;
constexpr Count row_ints = 4096;

/// The state in shared memory.
struct Board {
  std::atomic<std::uint32_t> announced{0};
  std::atomic<std::uint32_t> received{0};
  std::atomic<std::int64_t> began{0};
  Announcement announcement;
  std::atomic<bool> failed{false};
};

struct Way {
  const char* name;
  Plan plan;
  Acceptance acceptance;
  bool anew = false;  // forgets all registrations before each message (figure 12)
};

std::vector<Way> all_ways() {
  const Plan rwg{.if_unpacks = FabricScheme::rwg_up, .enlist = true};
  const Plan multi{.if_in_place = FabricScheme::multi_w, .enlist = true};
  Plan single = multi;
  single.list = false;
  return {{"bc-spup", {}, {}},
          {"rwg-up", rwg, {}},
          {"p-rrs", {.if_in_place = FabricScheme::p_rrs}, {.in_place = true}},
          {"multi-w", multi, {.in_place = true}},
          {"rwg-up, unpacked at the end", rwg, {.window = 16, .segment_unpack = false}},
          {"multi-w, posted one by one", single, {.in_place = true}},
          {"rwg-up, registered anew", rwg, {}, true},
          {"multi-w, registered anew", multi, {.in_place = true}, true}};
}

struct Job {
  Board& board;
  Fabric& fabric;
  bool sender;
  std::uint32_t messages = 0;

  void wait(const std::atomic<std::uint32_t>& counter) {
    while (counter < messages && !board.failed) {
      fabric.progress();
      sched_yield();
    }
  }

  /// Sends a message. @return microseconds; negative: it failed
  double send(const Way& way, const layout::Layout& type, std::vector<int>& matrix) {
    ++messages;
    std::byte* const base = reinterpret_cast<std::byte*>(matrix.data());
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = sender ? static_cast<int>(i * 3 + messages) : -1;
    if (way.anew) fabric.registrations().forget(base, static_cast<Bytes>(matrix.size() * sizeof(int)));
    if (sender) {
      board.began = steady_ns();
      Outgoing out(fabric, {&type, 1, base}, way.plan);
      board.announcement = out.announcement();
      board.announced = messages;
      while (out.progress() == State::working && !board.failed) sched_yield();
      if (out.state() != State::done) board.failed = true;
      wait(board.received);
      return 0;
    }
    wait(board.announced);
    Incoming in(fabric, board.announcement, {&type, 1, base}, way.acceptance);
    while (in.progress() == State::working && !board.failed) sched_yield();
    const double us = static_cast<double>(steady_ns() - board.began) / 1000;
    bool right = in.state() == State::done;
    layout::Cursor cursor(type, 1);
    while (right && !cursor.done()) {
      const layout::Segment block = cursor.next();
      for (Bytes at = block.offset; at < block.offset + block.length; at += 4)
        right = right && matrix[static_cast<std::size_t>(at / 4)] == static_cast<int>(at / 4 * 3 + messages);
    }
    if (!right) board.failed = true;
    board.received = messages;
    return us;
  }
};

int run(Board& board, bool sender, const std::string& provider, int repetitions, const std::string& file) {
  Failure failure = Failure::none;
  std::string why;
  const auto fabric = Fabric::open({.wanted = {.provider = provider}, .nonce = 1}, failure, why);
  if (!fabric) {
    board.failed = true;
    if (sender) fmt::print(stderr, "heddle-bench-fabric: {}. Name another provider: `fi_info -l` lists them.\n", why);
    return 2;
  }
  Job job{board, *fabric, sender};
  std::vector<int> matrix(rows * row_ints);
  nlohmann::json lines = nlohmann::json::array();
  for (Count columns = 1; columns <= 2048; columns *= 4) {
    const layout::Layout type = layout::vector(rows, columns, row_ints, layout::basic(4));
    std::map<std::string, std::vector<double>> times;
    for (int turn = -2; turn < repetitions; ++turn)
      for (const Way& way : all_ways()) {
        const double us = job.send(way, type, matrix);
        if (board.failed) {
          if (!sender) fmt::print(stderr, "heddle-bench-fabric: {} failed at {} columns.\n", way.name, columns);
          return 1;
        }
        if (turn >= 0) times[way.name].push_back(us);
      }
    if (sender) continue;
    for (const Way& way : all_ways()) {
      std::vector<double>& all = times[way.name];
      std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
      const double median = all[all.size() / 2];
      fmt::print("{:>12} {:>5} columns  {:<28} {:>9.1f} us\n", provider, columns, way.name, median);
      lines.push_back({{"bench", "fabric"},
                       {"case", std::to_string(columns)},
                       {"variant", way.name},
                       {"metric", "one way"},
                       {"value", median},
                       {"unit", "us"},
                       {"mpi", provider}});
    }
  }
  if (!sender && !file.empty()) std::ofstream(file) << lines.dump(1) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::bench::CommandLine line(
      "Times the four schemes of the fabric transport between two processes over a provider of libfabric, by columns "
      "of a 128 x 4096 matrix of ints (Wu, Wyckoff, Panda 2004).");
  std::string provider = "tcp;ofi_rxm";
  std::string file;
  int repetitions = 21;
  line.option("--provider", provider, "A provider's name for FI_PROVIDER: tcp;ofi_rxm, shm, net").shows_default();
  line.option("--json", file, "Write the rows to this file, too");
  line.option("--repetitions", repetitions, "Messages of each way and size").shows_default().between(1, 1000);
  if (const auto status = line.parse(argc, argv)) return *status;
  void* const page = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 1;
  auto* const board = new (page) Board;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(run(*board, true, provider, repetitions, ""));
  }
  const int mine = run(*board, false, provider, repetitions, file);
  int status = 0;
  waitpid(child, &status, 0);
  return mine != 0 ? mine : (WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
