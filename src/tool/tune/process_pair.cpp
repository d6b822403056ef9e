// tool/tune/process_pair.cpp: the second process waits for work on a word of shared memory.
#include "tool/tune/process_pair.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include "engine/base/wait.hpp"

namespace heddle::tool {

/// The shared words, at the start of the sender's node memory.
struct Pair::Board {
  alignas(64) std::atomic<std::uint32_t> asked{0};
  Work work = nullptr;
  long argument = 0;
  alignas(64) std::atomic<std::uint32_t> answered{0};
  double answer = 0;
  alignas(64) std::atomic<std::uint32_t> ball{0};  // odd: the sender has the ball
  alignas(64) std::byte load[4096];
};

namespace {

constexpr int receiver_rank = 1;
constexpr transport::Bytes board_bytes = 16 << 10;

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

/// "0-1" or "0,64": the hardware threads of one core, as text.
std::string siblings(int core) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/thread_siblings_list");
  std::string line;
  std::getline(file, line);
  return line;
}

/// Two cores that are not two threads of one core.
std::vector<int> two_cores() {
  const std::vector<int> cores = allowed_cores();
  for (const int core : cores)
    if (core != cores.front() && (siblings(core).empty() || siblings(core) != siblings(cores.front())))
      return {cores.front(), core};
  if (cores.size() > 1) return {cores[0], cores[1]};
  return {};
}

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// An allgather between two processes.
transport::Gather gather_over(int end, int me) {
  return [end, me](const void* mine, std::size_t bytes, void* all) {
    auto* place = static_cast<char*>(all);
    std::memcpy(place + static_cast<std::size_t>(me) * bytes, mine, bytes);
    if (send(end, mine, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) return false;
    const std::size_t theirs = me == 0 ? bytes : 0;
    return recv(end, place + theirs, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  };
}

}  // namespace

double now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Done>
void Pair::wait(const Done& done) {
  for (long spins = 0;; ++spins) {
    if (done()) return;
    if (spins < 4096) {
      engine::relax();
      continue;
    }
    sched_yield();
    if (child_ > 0 && spins % 1024 == 0 && waitpid(child_, nullptr, WNOHANG) != 0) {
      child_ = 0;
      throw std::runtime_error("the second process of the measurement has died");
    }
  }
}

Pair::Pair() : cores_(two_cores()) {
  static_assert(sizeof(Board) <= board_bytes);
  for (auto& memory : private_) memory.assign(room + 4096, std::byte{1});
  const auto page = [](std::vector<std::byte>& memory) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (4096 - at % 4096) % 4096;
  };
  mine = page(private_[0]);
  other = page(private_[1]);

  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("cannot make a pair of sockets");
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("cannot start a second process");
  const int me = child_ == 0 ? 0 : receiver_rank;
  if (child_ == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(ends[me == 0 ? 0 : 1]);
  if (!cores_.empty()) stay_on(cores_[static_cast<std::size_t>(me)]);
  node_ = std::make_unique<transport::JoinedNode>(
      me, 2, gather_over(ends[me == 0 ? 1 : 0], me),
      transport::NodeOptions{.memory = room + board_bytes, .prefault = room + board_bytes, .shared = 0});
  close(ends[me == 0 ? 1 : 0]);
  std::byte* memory = node_->memory(0);
  if (memory) {
    board_ = reinterpret_cast<Board*>(memory);
    shared = memory + board_bytes;
  }
  if (child_ == 0) {
    if (memory) serve();
    _exit(0);
  }
  if (!memory) {
    const std::string why = node_->why();
    throw std::runtime_error(why.empty() ? "the two processes cannot share memory" : why);
  }
}

Pair::~Pair() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void Pair::serve() {
  child_ = -1;
  for (std::uint32_t seen = 0;;) {
    wait([&] { return board_->asked.load(std::memory_order_acquire) != seen; });
    seen = board_->asked.load(std::memory_order_acquire);
    board_->answer = board_->work(*this, board_->argument);
    board_->answered.store(seen, std::memory_order_release);
  }
}

double Pair::sender(Work work, long argument) {
  board_->work = work;
  board_->argument = argument;
  const std::uint32_t number = board_->asked.load(std::memory_order_relaxed) + 1;
  board_->asked.store(number, std::memory_order_release);
  wait([&] { return board_->answered.load(std::memory_order_acquire) == number; });
  return board_->answer;
}

double Pair::one_way(int times, long bytes) {
  // The sender throws back the bytes that it has read.
  board_->ball.store(0, std::memory_order_relaxed);
  board_->work = [](Pair& pair, long packed) {
    const long length = packed & 0xffff;
    for (long left = packed >> 16; left > 0; --left) {
      const auto turn = static_cast<std::uint32_t>(2 * ((packed >> 16) - left) + 1);
      pair.wait([&] { return pair.board_->ball.load(std::memory_order_acquire) == turn; });
      std::memcpy(pair.mine, pair.board_->load, static_cast<std::size_t>(length));
      std::memcpy(pair.board_->load, pair.mine, static_cast<std::size_t>(length));
      pair.board_->ball.store(turn + 1, std::memory_order_release);
    }
    return 0.0;
  };
  board_->argument = static_cast<long>(times) << 16 | bytes;
  const std::uint32_t number = board_->asked.load(std::memory_order_relaxed) + 1;
  board_->asked.store(number, std::memory_order_release);
  const double start = now();
  for (int i = 0; i < times; ++i) {
    std::memcpy(board_->load, other, static_cast<std::size_t>(bytes));
    board_->ball.store(static_cast<std::uint32_t>(2 * i + 1), std::memory_order_release);
    wait([&] { return board_->ball.load(std::memory_order_acquire) == static_cast<std::uint32_t>(2 * i + 2); });
    std::memcpy(other, board_->load, static_cast<std::size_t>(bytes));
  }
  const double taken = (now() - start) / (2 * times);
  wait([&] { return board_->answered.load(std::memory_order_acquire) == number; });
  return taken;
}

}  // namespace heddle::tool
