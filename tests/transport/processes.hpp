// Real processes for a test: forked, joined by sockets to a hub that does the allgather, under a
// watchdog.
//
//   run_processes(5, [](Process& p) { const JoinedNode node(p.me, p.size, p.gather); EXPECT_TRUE(...); });
//
// Expectations that fail in a process fail the test. A process that is gone makes every later
// gather of the others false.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "transport/join_node.hpp"

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

/// The factor by which tests may wait longer here: TEST_SLOWNESS (an emulated machine), or 1.
int slowness();

/// Runs `body` in `count` processes and returns their wait statuses. A nonzero status fails the
/// test, except that of `may_die`, a process that the test kills.
std::vector<int> run_processes(int count, const std::function<void(Process&)>& body, int may_die = -1);

/// From now on the kernel refuses system call `number` to this process.
void refuse_system_call(long number, int error);

/// Open descriptors of this process. Then only its sockets.
int open_descriptors();
int open_sockets();
/// Lines of /proc/self/maps.
int mappings();
/// Names in /dev/shm, sorted.
std::vector<std::string> named_segments();
/// The new names that stay for ten seconds. Names of other tests come and go.
std::vector<std::string> segments_left_since(const std::vector<std::string>& before);

}  // namespace heddle::transport::testing
