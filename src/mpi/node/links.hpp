// mpi/node/links.hpp: what a message of the host takes, the same on all ranks: by that collectives choose. Each machine has
// a profile of its own, or none. Includes select/collective/links.hpp, process/process.hpp.
#pragma once

#include "select/collective/links.hpp"

namespace heddle::mpi {

/// Collective over MPI_COMM_WORLD, in MPI_Init: of each number the greatest of all ranks' profiles, for a collective is as
/// quick as its slowest rank.
void agree_on_links() noexcept;

/// The host's built-in ones until then.
const select::Links& links_of_job() noexcept;

}  // namespace heddle::mpi
