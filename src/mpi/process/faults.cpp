// mpi/process/faults.cpp: Open MPI's parameters are variables of libmpi, whose values come from
// files, the environment and the launcher. MPICH reads its own from the environment only.
#include "mpi/process/faults.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace heddle::mpi {

#if HEDDLE_FAMILY_OPENMPI
namespace {

bool is_set(const char* parameter) noexcept {
  const auto* const value = static_cast<const bool*>(dlsym(RTLD_DEFAULT, parameter));
  return value && *value;
}

}  // namespace

const char* tolerates_faults() noexcept { return is_set("ompi_ftmpi_enabled") ? "mpirun --with-ft" : nullptr; }
bool finalize_waits() noexcept { return !is_set("ompi_async_mpi_finalize"); }

bool revoked(MPI_Comm comm) noexcept {
  using Ask = int (*)(MPI_Comm, int*);
  static const auto ask = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "PMPIX_Comm_is_revoked"));
  int is = 0;
  return ask && ask(comm, &is) == MPI_SUCCESS && is != 0;
}

#else
namespace {

/// True: the user has set the variable. MPICH reads its variables in the same way.
bool is_set(const char* variable) noexcept {
  for (const char* const prefix : {"MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"}) {
    const char* const value = std::getenv((std::string(prefix) + variable).c_str());
    if (!value) continue;
    const std::string_view text = value;
    return text == "1" || text == "true" || text == "TRUE" || text == "True" || text == "yes" || text == "YES" || text == "Yes";
  }
  return false;
}

}  // namespace

const char* tolerates_faults() noexcept { return is_set("ENABLE_FT") ? "MPIR_CVAR_ENABLE_FT" : nullptr; }
bool finalize_waits() noexcept { return !is_set("NO_COLLECTIVE_FINALIZE"); }
bool revoked(MPI_Comm /*comm*/) noexcept { return false; }  // MPICH's procedure for this question ends the job
#endif

}  // namespace heddle::mpi
