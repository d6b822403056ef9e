// engine/base/give_way.cpp: looks for the scheduler's group of this process.
#include "engine/base/give_way.hpp"

#include <fcntl.h>
#include <sched.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): nanosleep is POSIX's
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace heddle::engine {
namespace {

bool grouped_by_session() noexcept {
  const int file = open("/proc/sys/kernel/sched_autogroup_enabled", O_RDONLY | O_CLOEXEC);
  char grouped = '0';
  const bool known = file >= 0 && ::read(file, &grouped, 1) == 1;
  if (file >= 0) close(file);
  return known && grouped == '1';
}

int allowed(pid_t process) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

int cores_of_node() noexcept { return std::max({1, allowed(0), allowed(getppid())}); }

int ranks_of_node() noexcept {
  // MPICH's and Intel MPI's hydra; Open MPI.
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})
    if (const char* value = std::getenv(name)) return std::max(0, std::atoi(value));
  return 0;
}

bool yielding_helps() noexcept {
  static const bool helps = getsid(0) != getpid() || !grouped_by_session();
  return helps;
}

void nap() noexcept { nap(15); }

void nap(long us) noexcept {
  const timespec brief{us / 1'000'000, us % 1'000'000 * 1000};
  nanosleep(&brief, nullptr);
}

}  // namespace heddle::engine
