// engine/give_way.cpp: whose group are we in?
#include "engine/give_way.hpp"

#include <fcntl.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): nanosleep is POSIX's
#include <unistd.h>

namespace heddle::engine {
namespace {

bool grouped_by_session() noexcept {
  const int file = open("/proc/sys/kernel/sched_autogroup_enabled", O_RDONLY | O_CLOEXEC);
  char grouped = '0';
  const bool known = file >= 0 && ::read(file, &grouped, 1) == 1;
  if (file >= 0) close(file);
  return known && grouped == '1';
}

}  // namespace

bool yielding_helps() noexcept {
  static const bool helps = getsid(0) != getpid() || !grouped_by_session();
  return helps;
}

void nap() noexcept {
  const timespec brief{0, 15'000};
  nanosleep(&brief, nullptr);
}

}  // namespace heddle::engine
