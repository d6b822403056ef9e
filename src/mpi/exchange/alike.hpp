// mpi/exchange/alike.hpp: HEDDLE_CHECK: did all ranks decide alike? Includes companion.hpp.
//
//   const select::Way way = ...;                     // null algorithm: it is left to the host
//   alike(*own, "MPI_Allgatherv", way);              // returns only if all ranks have come here with the same
#pragma once

#include "mpi/exchange/companion.hpp"
#include "mpi/start.hpp"
#include "select/collective/way.hpp"

namespace heddle::mpi {

/// Collective over the companion's communicator: compares the call, how it is about to be carried out, and its number among the
/// communicator's calls; where ranks differ, ends the job with a sentence that names them.
void check_alike(Companion& own, const char* call, const select::Way& way) noexcept;

inline void alike(Companion& own, const char* call, const select::Way& way) noexcept {
  if (settings_of_process().check) check_alike(own, call, way);
}

}  // namespace heddle::mpi
