// mpi/process/progress.hpp: what Heddle does while a call of the host waits. If a node has more
// ranks than cores, waiting ranks give their core away.
//
// MPICH spins while it waits. Ranks that share a core then wait for each other's time slices (16
// ranks on 2 cores: MPI_Alltoallw in 18,700 us, 106 us with yielding). Open MPI yields by itself if
// its launcher has told it that there are too few cores.
#pragma once

namespace heddle::mpi::progress {

/// After MPI_Init. HEDDLE_YIELD decides: on, off, or auto (on if there are more ranks than cores).
void start() noexcept;
/// Before MPI_Finalize.
void stop() noexcept;

/// The host makes progress, for a rank that waits for others without the host.
void once() noexcept;

/// From here on, the host's progress engine yields in every call that waits. False: this host
/// cannot do that.
bool begin_yielding() noexcept;
void end_yielding() noexcept;

/// From here on, until stop(), the host's progress engine also calls `also`. It may begin
/// operations of the host, but must neither test them nor wait for them. False: this host cannot do
/// that.
bool begin_calling(void (*also)() noexcept) noexcept;
void end_calling() noexcept;

}  // namespace heddle::mpi::progress
