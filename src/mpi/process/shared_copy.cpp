// mpi/process/shared_copy.cpp: the switch is a control variable of MPI's tools interface.
#include "mpi/process/shared_copy.hpp"

#include <atomic>
#include <mutex>

namespace heddle::mpi {

#if HEDDLE_FAMILY_OPENMPI

bool SharedCopy::hold() noexcept { return false; }
void SharedCopy::release() noexcept {}

#else

namespace {

enum class Switch : unsigned char { unknown, none, found };

constinit std::atomic<Switch> the_switch{Switch::unknown};
constinit std::mutex switching;
MPI_T_cvar_handle variable{};
int holders = 0;

/// A library that has no such switch, or whose switch is off, needs nothing.
Switch find() noexcept {
  int provided = 0;
  int index = 0;
  int count = 0;
  int on = 0;
  if (!PMPI_T_init_thread || !PMPI_T_cvar_get_index || !PMPI_T_cvar_write ||
      PMPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS ||
      PMPI_T_cvar_get_index("MPIR_CVAR_CH4_CMA_ENABLE", &index) != MPI_SUCCESS ||
      PMPI_T_cvar_handle_alloc(index, nullptr, &variable, &count) != MPI_SUCCESS || count != 1 ||
      PMPI_T_cvar_read(variable, &on) != MPI_SUCCESS || on == 0)
    return Switch::none;
  return Switch::found;
}

void turn(int on) noexcept { PMPI_T_cvar_write(variable, &on); }

}  // namespace

bool SharedCopy::hold() noexcept {
  if (the_switch.load(std::memory_order_relaxed) == Switch::none) return false;
  const std::lock_guard guard(switching);
  if (the_switch.load(std::memory_order_relaxed) == Switch::unknown) the_switch.store(find(), std::memory_order_relaxed);
  if (the_switch.load(std::memory_order_relaxed) == Switch::none) return false;
  if (holders++ == 0) turn(0);
  return true;
}

void SharedCopy::release() noexcept {
  const std::lock_guard guard(switching);
  if (--holders == 0) turn(1);
}

#endif

}  // namespace heddle::mpi
