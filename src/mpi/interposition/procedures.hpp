// mpi/interposition/procedures.hpp: the procedures that Heddle carries out, and what is known of all others. Made at build time
// (procedures.cmake): the first from the MPI_ functions of calls/, the second from treatments.csv. Includes
// nothing of Heddle.
#pragma once

#include <span>

namespace heddle::mpi::interposition {

struct Procedure {
  const char* name;  ///< "MPI_Send".
  void* ours;
  void* timed = nullptr;  ///< The same with somebody who looks on (timed.hpp). Null: it neither moves data nor waits.
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
