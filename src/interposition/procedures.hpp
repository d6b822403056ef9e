// interposition/procedures.hpp: the procedures that Heddle carries out, and what is known of all
// others. Made at build time (mpi/process/procedures.cmake): from the MPI_ functions of mpi/calls/,
// from mpi/treatments.csv, and from the host's mpi.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace heddle::interposition {

/// Names of the profiling interface (MPI-5.0 §15.2), and of MPI's procedures altogether; MPIX_ ones are a library's extensions.
inline bool profiling(const char* name) { return std::strncmp(name, "PMPI_", 5) == 0 || std::strncmp(name, "PMPIX_", 6) == 0; }
inline bool of_mpi(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "MPIX_", 5) == 0 || profiling(name);
}

struct Procedure {
  const char* name;  ///< "MPI_Send".
  void* ours;
  void* timed =
      nullptr;  ///< The same with somebody who looks on (mpi/lifecycle/timed.hpp). Null: it neither moves data nor waits.
};
/// In the order of their names.
std::span<const Procedure> procedures() noexcept;

struct Treatment {
  const char* pattern;  ///< "MPI_Send", "MPI_T_*"; it stands for the _c form, too.
  bool ours;            ///< Accelerated or tracked: Heddle must be what is called.
};
/// In the order of the file: the first that fits counts.
std::span<const Treatment> treatments() noexcept;

/// The hash of DT_GNU_HASH (Drepper, How to write shared libraries).
constexpr std::uint32_t gnu_hash(std::string_view name) noexcept {
  std::uint32_t hash = 5381;
  for (const char letter : name) hash = hash * 33 + static_cast<unsigned char>(letter);
  return hash;
}

struct Passed {
  std::uint32_t hash;  ///< gnu_hash() of the name, with its lowest bit set, which tables of symbols use for something else.
  const char* name;
};
/// Those that the host had when this was built and Heddle leaves to it, in the order of their hashes: most of what a host has
/// beside procedures(), and not to be looked at any more.
std::span<const Passed> passed() noexcept;

}  // namespace heddle::interposition
