// mpi/process/progress_openmpi.cpp: opal_progress_set_yield_when_idle, of libopen-pal, which no
// header declares. The parameter mpi_yield_when_idle sets the same switch: Open MPI yields when its
// engine finds nothing to do, and only then.
//
// A callback in the engine (opal_progress_register) would yield in every call that makes progress,
// whether the call waits or not. NWChem over 4 ranks on 2 cores took twice as long with such a
// callback.
#include "mpi/process/host.hpp"
#include "mpi/process/progress.hpp"

#if HEDDLE_FAMILY_OPENMPI
#include <dlfcn.h>

#include <atomic>
#include <optional>

namespace heddle::mpi::progress {
namespace {

/// Sets the switch and returns its old value. Empty: there is no such procedure.
std::optional<bool> set(bool yield) {
  auto* const procedure = reinterpret_cast<bool (*)(bool)>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
  return procedure ? std::optional(procedure(yield)) : std::nullopt;
}

constinit bool programs = false;  // the switch as the program's user has set it

/// The engine calls such a callback in one of eight rounds (opal_progress_register_lp).
using Callback = int (*)();
bool tell_engine(const char* name, Callback callback) {
  auto* const procedure = reinterpret_cast<int (*)(Callback)>(dlsym(RTLD_DEFAULT, name));
  return procedure && procedure(callback) == 0;
}

constinit std::atomic<void (*)() noexcept> called{nullptr};

int call() {
  if (auto* const also = called.load(std::memory_order_acquire)) also();
  return 0;
}

}  // namespace

void once() noexcept {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

bool begin_yielding() noexcept {
  const std::optional<bool> before = set(true);
  programs = before.value_or(false);
  return before.has_value();
}

void end_yielding() noexcept { set(programs); }

bool begin_calling(void (*also)() noexcept) noexcept {
  called = also;
  if (!tell_engine("opal_progress_register_lp", call)) called = nullptr;
  return called.load() != nullptr;
}

void end_calling() noexcept {
  if (called.exchange(nullptr)) tell_engine("opal_progress_unregister", call);
}

}  // namespace heddle::mpi::progress
#endif
