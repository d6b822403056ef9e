#include "job.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>
#include <sstream>

namespace heddle::transport::fabric::testing {

std::unique_ptr<Fabric> Job::open(Options options) const {
  options.wanted.provider = provider;
  if (options.nonce == 0) options.nonce = 4711;
  Failure failure = Failure::none;
  std::string why;
  auto fabric = Fabric::open(options, failure, why);
  EXPECT_TRUE(fabric) << provider << ": " << words(failure) << ": " << why;
  return fabric;
}

void Job::barrier(Fabric& fabric) const {
  const int round = board->round;
  if (++board->arrived == board->size) {
    board->arrived = 0;
    ++board->round;
  }
  while (board->round == round) {
    fabric.progress();
    sched_yield();
  }
}

void Job::bring(Fabric& fabric, int to, const Announcement& announcement) const {
  while (board->announced[me][to] != 0) {
    fabric.progress();
    sched_yield();
  }
  board->announcement[me][to] = announcement;
  board->announced[me][to] = 1;
}

Announcement Job::take(Fabric& fabric, int from) const {
  while (board->announced[from][me] == 0) {
    fabric.progress();
    sched_yield();
  }
  const Announcement announcement = board->announcement[from][me];
  board->announced[from][me] = 0;
  return announcement;
}

void Job::greet(Fabric& fabric, const Announcement& announced) const {
  constexpr int times = 3;
  std::uint32_t peer = 0;
  for (int i = 0; i < times && fabric.greet({announced.who, announced.address_bytes, announced.address}, peer); ++i) {
    while (!fabric.welcomed(peer) && !fabric.gone(peer)) {
      fabric.progress();
      sched_yield();
    }
    if (fabric.welcomed(peer)) return;
  }
  ADD_FAILURE() << "no hello was answered";
}

void run_job(int size, const std::string& provider, const std::function<void(Job&)>& body, int may_die) {
  void* const page = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* const board = new (page) Board;
  board->size = size;
  transport::testing::run_processes(
      size,
      [&](transport::testing::Process& process) {
        Job job{process.me, process.size, provider, board};
        board->process[job.me] = getpid();
        body(job);
      },
      may_die);
  // The shm provider names its segments by the process: who ends normally leaves none.
  for (const std::string& name : transport::testing::named_segments())
    for (int i = 0; i < size; ++i) {
      if (!name.starts_with(std::to_string(board->process[i]) + ":")) continue;
      EXPECT_EQ(i, may_die) << name << " is left in /dev/shm";
      std::filesystem::remove("/dev/shm/" + name);
    }
  munmap(page, sizeof(Board));
}

std::vector<std::string> providers() {
  const char* const wanted = std::getenv("TEST_PROVIDERS");
  std::istringstream words(wanted ? wanted : "tcp;ofi_rxm shm");
  return {std::istream_iterator<std::string>(words), {}};
}

std::string short_name(const std::string& provider) { return provider.substr(0, provider.find(';')); }

bool there_is(const std::string& provider) {
  bool found = false;
  const std::vector<int> statuses = transport::testing::run_processes(
      1,
      [&](transport::testing::Process&) {
        std::string why;
        if (!open_endpoint({.provider = provider}, why)) _exit(77);
      },
      0);
  found = WIFEXITED(statuses[0]) && WEXITSTATUS(statuses[0]) == 0;
  return found;
}

State drive(Message& message, double seconds) {
  seconds *= transport::testing::slowness();
  const std::int64_t until = steady_ns() + static_cast<std::int64_t>(seconds * 1e9);
  while (message.progress() == State::working) {
    if (steady_ns() > until) {
      ADD_FAILURE() << "no end after " << seconds << " s";
      break;
    }
    sched_yield();
  }
  return message.state();
}

}  // namespace heddle::transport::fabric::testing
