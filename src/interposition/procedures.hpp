// interposition/procedures.hpp: tables of the procedures that Heddle carries out, and of all
// others. The build makes them (mpi/process/procedures.cmake) from the MPI_ functions of
// mpi/calls/, mpi/treatments.csv and the host's mpi.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace heddle::interposition {

/// True for names of the profiling interface (MPI-5.0 §15.2), and for all names of MPI. MPIX_ names
/// are a library's extensions.
inline bool profiling(const char* name) { return std::strncmp(name, "PMPI_", 5) == 0 || std::strncmp(name, "PMPIX_", 6) == 0; }
inline bool of_mpi(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "MPIX_", 5) == 0 || profiling(name);
}

struct Procedure {
  const char* name;  ///< "MPI_Send".
  void* ours;
  /// Like `ours`, with an observer (mpi/lifecycle/observed_call.hpp). Null: it neither communicates
  /// nor waits.
  void* timed = nullptr;
};
/// Sorted by name.
std::span<const Procedure> procedures() noexcept;

/// A procedure that Heddle leaves to the host, with an observer around it. It is put in place only
/// if somebody observes.
struct Observable {
  const char* name;
  void* timed;
  void** host;  ///< The observer calls the host's procedure here.
};
/// All such procedures that communicate or wait.
std::span<const Observable> observed() noexcept;

struct Treatment {
  const char* pattern;  ///< "MPI_Send", "MPI_T_*". It also stands for the _c form.
  bool ours;            ///< Accelerated or tracked: calls must reach Heddle.
};
/// Sorted as in the file. The first match counts.
std::span<const Treatment> treatments() noexcept;

/// The hash of DT_GNU_HASH (Drepper, How to write shared libraries).
constexpr std::uint32_t gnu_hash(std::string_view name) noexcept {
  std::uint32_t hash = 5381;
  for (const char letter : name) hash = hash * 33 + static_cast<unsigned char>(letter);
  return hash;
}

struct Passed {
  std::uint32_t hash;  ///< gnu_hash() of the name with its lowest bit set, because tables of symbols use that bit otherwise.
  const char* name;
};
/// The procedures of the build's host that Heddle leaves to it, sorted by hash. They are most of a
/// host's other procedures, and need no further look.
std::span<const Passed> passed() noexcept;

}  // namespace heddle::interposition
