// mpi/process/progress.hpp: what is done in calls of the host's that wait. When a node has more ranks than cores, waiting ranks
// give their core away. Includes nothing of Heddle.
//
// MPICH spins while it waits; ranks that share a core then wait for each other's time slices (16 ranks on 2 cores:
// MPI_Alltoallw in 18,700 us, 106 us with yielding). Open MPI yields by itself, if its launcher has told it of too few cores.
#pragma once

namespace heddle::mpi::progress {

/// After MPI_Init. HEDDLE_YIELD=on|off decides, or auto: where there are more ranks than cores.
void start() noexcept;
/// Before MPI_Finalize.
void stop() noexcept;

/// From here on the host's progress engine yields, in whatever call it waits. False: this host cannot be told to.
bool begin_yielding() noexcept;
void end_yielding() noexcept;

/// From here on, until stop(), it calls `also`: which may begin operations of the host's, but neither test nor wait for them.
/// False: this host cannot be told to.
bool begin_calling(void (*also)() noexcept) noexcept;
void end_calling() noexcept;

}  // namespace heddle::mpi::progress
