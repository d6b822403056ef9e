// mpi/lifecycle/meanings.hpp: what the handles of a call mean, for its observers
// (report/called.hpp). Nobody asks for it unless the user wants a report, a timeline or
// explanations.
//
//   report::Observed observed(report, trace, meanings());
//   report::observer.store(&observed);
#pragma once

#include <cstdint>

#include "mpi/process/host.hpp"
#include "report/called.hpp"
#include "threads/handle_table.hpp"

namespace heddle::mpi {

const report::Meanings& meanings() noexcept;

/// The datatype of a key (threads::key_of).
inline MPI_Datatype datatype_of(std::uint64_t key) noexcept { return threads::handle_of(key, MPI_DATATYPE_NULL); }

}  // namespace heddle::mpi
