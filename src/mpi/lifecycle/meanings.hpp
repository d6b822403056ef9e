// mpi/lifecycle/meanings.hpp: what the handles of a call mean, for whoever looks on (report/called.hpp). Includes host.hpp,
// report/called.hpp. Nothing of it is asked where nobody wants a report, a timeline or explanations.
//
//   report::Observed observed(report, trace, meanings());
//   report::observer.store(&observed);
#pragma once

#include <cstdint>
#include <type_traits>

#include "mpi/process/host.hpp"
#include "report/called.hpp"

namespace heddle::mpi {

const report::Meanings& meanings() noexcept;

/// The handle of such a number (timed::key_of).
template <class Handle>
Handle handle_of(std::uint64_t key, Handle null) noexcept {
  if (key == 0) return null;
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(key));
  else
    return static_cast<Handle>(key);
}
inline MPI_Datatype datatype_of(std::uint64_t key) noexcept { return handle_of(key, MPI_DATATYPE_NULL); }

}  // namespace heddle::mpi
