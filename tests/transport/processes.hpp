// Real processes for a test: forked, joined by sockets to a hub that plays the allgather, under a watchdog.
//
//   run_processes(5, [](Process& p) { const Node node(p.me, p.size, p.gather); EXPECT_TRUE(...); });
//
// Expectations that fail in a process fail the test. A process that is gone makes every later gather of the others false.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "transport/transport.hpp"

namespace heddle::transport::testing {

struct Process {
  int me = 0;
  int size = 1;
  Gather gather;

  /// Returns when all processes that live have called it.
  void barrier() const {
    const char mine = 0;
    std::vector<char> all(static_cast<std::size_t>(size));
    gather(&mine, 1, all.data());
  }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// How many times as long as elsewhere tests may wait here: TEST_SLOWNESS (an emulated machine), or 1.
int slowness();

/// Runs `body` in `count` processes and returns their wait statuses; a nonzero one fails the test unless it is allowed to
/// (`may_die`: a process that the test kills).
std::vector<int> run_processes(int count, const std::function<void(Process&)>& body, int may_die = -1);

/// From now on the kernel refuses system call `number` to this process, for good.
void refuse_system_call(long number, int error);

/// Open descriptors of this process, and those of them that are sockets.
int open_descriptors();
int open_sockets();
/// Lines of /proc/self/maps.
int mappings();
/// Names in /dev/shm, sorted.
std::vector<std::string> named_segments();
/// Of those that were not there before, what stays for ten seconds: other tests come and go meanwhile.
std::vector<std::string> segments_left_since(const std::vector<std::string>& before);

}  // namespace heddle::transport::testing
