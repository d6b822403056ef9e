// mpi/process/progress_openmpi.cpp: opal_progress_set_yield_when_idle, of libopen-pal, which no header declares. It is what
// mpi_yield_when_idle sets: Open MPI yields where its engine finds nothing to do, and nowhere else.
//
// Not a callback of ours in the engine (opal_progress_register): that yields in every call that makes progress, whether it
// waits or not. NWChem over 4 ranks on 2 cores took twice as long with one.
#include "mpi/process/host.hpp"
#include "mpi/process/progress.hpp"

#if HEDDLE_FAMILY_OPENMPI
#include <dlfcn.h>

#include <optional>

namespace heddle::mpi::progress {
namespace {

/// What it was set to before. Empty: there is no such procedure.
std::optional<bool> set(bool yield) {
  auto* const procedure = reinterpret_cast<bool (*)(bool)>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
  return procedure ? std::optional(procedure(yield)) : std::nullopt;
}

constinit bool programs = false;  // as the program's user has set it

}  // namespace

bool begin_yielding() noexcept {
  const std::optional<bool> before = set(true);
  programs = before.value_or(false);
  return before.has_value();
}

void end_yielding() noexcept { set(programs); }

}  // namespace heddle::mpi::progress
#endif
