// mpi/lifecycle/meanings.hpp: what the handles of a call mean, for whoever looks on (report/called.hpp). Includes host.hpp,
// report/called.hpp. Nothing of it is asked where nobody wants a report, a timeline or explanations.
//
//   report::Observed observed(report, trace, meanings());
//   report::observer.store(&observed);
#pragma once

#include <cstring>

#include "mpi/process/host.hpp"
#include "report/called.hpp"

namespace heddle::mpi {

const report::Meanings& meanings() noexcept;

/// The handle of such a number.
inline MPI_Datatype datatype_of(std::uint64_t key) noexcept {
  if (key == 0) return MPI_DATATYPE_NULL;
  MPI_Datatype type;
  std::memcpy(&type, &key, sizeof type);  // little-endian: an integer or a pointer
  return type;
}

}  // namespace heddle::mpi
