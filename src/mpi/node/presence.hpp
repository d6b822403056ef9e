// mpi/node/presence.hpp: all ranks of a job run Heddle, or none does anything that needs the others. Includes host.hpp.
#pragma once

namespace heddle::mpi {

/// Collective over MPI_COMM_WORLD, in MPI_Init: whether every rank wishes to share its node. A rank without Heddle never
/// answers; after a minute the job is ended with a sentence that names the way out.
bool all_wish(bool wish) noexcept;

}  // namespace heddle::mpi
