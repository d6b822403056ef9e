// mpi/interposition/procedures.hpp: the procedures that Heddle carries out, and what is known of all others. Made at build time
// (procedures.cmake): the first from the MPI_ functions of calls/, the second from treatments.csv. Includes report/times.hpp.
#pragma once

#include <span>

#include "report/times.hpp"

namespace heddle::mpi::interposition {

struct Procedure {
  const char* name;  ///< "MPI_Send".
  void* ours;
  void* timed = nullptr;                 ///< The same with a stopwatch (timed.hpp). Null: it neither moves data nor waits.
  const report::Spent* spent = nullptr;  ///< What that has measured.
};
/// In the order of their names.
std::span<const Procedure> procedures() noexcept;

struct Treatment {
  const char* pattern;  ///< "MPI_Send", "MPI_T_*"; it stands for the _c form, too.
  bool ours;            ///< Accelerated or tracked: Heddle must be what is called.
};
/// In the order of the file: the first that fits counts.
std::span<const Treatment> treatments() noexcept;

}  // namespace heddle::mpi::interposition
