// The hub reads a record from each process, then sends all records to each.
#include "processes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace heddle::transport::testing {
namespace {

constexpr unsigned watchdog_s = 300;

bool write_all(int fd, const void* data, std::size_t bytes) {
  for (const auto* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t bytes) {
  for (auto* at = static_cast<char*>(data); bytes > 0;) {
    const ssize_t n = recv(fd, at, bytes, 0);
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Serves gathers until no process asks for one.
void serve(const std::vector<int>& to) {
  std::vector<bool> lives(to.size(), true);
  for (;;) {
    std::vector<std::vector<char>> records(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::uint64_t bytes = 0;
      lives[i] = lives[i] && read_all(to[i], &bytes, sizeof bytes);
      records[i].resize(bytes);
      lives[i] = lives[i] && read_all(to[i], records[i].data(), bytes);
    }
    if (std::ranges::find(lives, true) == lives.end()) return;
    const bool whole = std::ranges::find(lives, false) == lives.end();
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!lives[i]) continue;
      const char answer = whole ? 1 : 0;
      write_all(to[i], &answer, 1);
      if (whole)
        for (const std::vector<char>& record : records) write_all(to[i], record.data(), record.size());
    }
  }
}

Gather gather_over(int fd, int size) {
  return [fd, size](const void* mine, std::size_t bytes, void* all) {
    const std::uint64_t length = bytes;
    char whole = 0;
    if (!write_all(fd, &length, sizeof length) || !write_all(fd, mine, bytes) || !read_all(fd, &whole, 1) || !whole)
      return false;
    return read_all(fd, all, bytes * static_cast<std::size_t>(size));
  };
}

int count(const char* folder, const std::function<bool(const std::filesystem::path&)>& counts) {
  int result = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) result += counts(entry.path()) ? 1 : 0;
  return result;
}

}  // namespace

int slowness() {
  const char* const wanted = std::getenv("TEST_SLOWNESS");
  return wanted ? std::max(1, std::atoi(wanted)) : 1;
}

std::vector<int> run_processes(int size, const std::function<void(Process&)>& body, int may_die) {
  std::vector<int> hub;
  std::vector<pid_t> children;
  std::fflush(nullptr);
  for (int me = 0; me < size; ++me) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      alarm(watchdog_s * static_cast<unsigned>(slowness()));
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const int end : hub) close(end);
      close(ends[0]);
      Process process{me, size, gather_over(ends[1], size)};
      body(process);
      std::fflush(nullptr);
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    close(ends[1]);
    hub.push_back(ends[0]);
    children.push_back(child);
  }
  serve(hub);
  std::vector<int> statuses;
  for (int me = 0; me < size; ++me) {
    int status = 0;
    EXPECT_EQ(waitpid(children[static_cast<std::size_t>(me)], &status, 0), children[static_cast<std::size_t>(me)]);
    EXPECT_TRUE(status == 0 || me == may_die) << "process " << me << " of " << size << ": status " << status;
    statuses.push_back(status);
    close(hub[static_cast<std::size_t>(me)]);
  }
  return statuses;
}

void refuse_system_call(long number, int error) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

int open_descriptors() {
  return count("/proc/self/fd", [](const auto&) { return true; }) - 1;  // the folder itself was open
}

int open_sockets() {
  return count("/proc/self/fd", [](const auto& path) {
    struct stat facts {};
    return stat(path.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode);
  });
}

int mappings() {
  std::ifstream maps("/proc/self/maps");
  int lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

std::vector<std::string> named_segments() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> segments_left_since(const std::vector<std::string>& before) {
  const auto fresh = [](const std::vector<std::string>& there, const std::vector<std::string>& known) {
    std::vector<std::string> names;
    std::ranges::set_difference(there, known, std::back_inserter(names));
    return names;
  };
  std::vector<std::string> left = fresh(named_segments(), before);
  for (int tries = 0; tries < 100 && !left.empty(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::vector<std::string> now = named_segments();
    std::vector<std::string> still;
    std::ranges::set_intersection(left, now, std::back_inserter(still));
    left = std::move(still);
  }
  return left;
}

}  // namespace heddle::transport::testing
