// mpi/process/progress.cpp: whether to yield.
#include "mpi/process/progress.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"

namespace heddle::mpi::progress {
namespace {

constinit bool yields = false;

int allowed(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

bool wanted() {
  switch (settings_of_process().yield) {
    case settings::Yield::on:
      return true;
    case settings::Yield::off:
      return false;
    case settings::Yield::automatic:
      break;
  }
  return ranks() > cores();
}

}  // namespace

int cores() noexcept { return std::max({1, allowed(0), allowed(getppid())}); }

int ranks() noexcept {
  // MPICH's and Intel MPI's hydra; Open MPI.
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})
    if (const char* value = std::getenv(name)) return std::max(0, std::atoi(value));
  return 0;
}

void start() noexcept {
  if (yields || !wanted()) return;
  yields = begin_yielding();
  if (!yields) say_once_verbose("waiting ranks do not yield their core", "this MPI library cannot be told to");
}

void stop() noexcept {
  if (yields) end_yielding();
  yields = false;
  end_calling();
}

}  // namespace heddle::mpi::progress
