// mpi/progress/progress.hpp: a hook in the host's own progress engine: it is called while the host waits, in whatever call.
// Includes nothing of Heddle.
//
// What it does today: when a node has more ranks than cores it gives the core away. MPICH spins while it waits; ranks that
// share a core then wait for each other's time slices (16 ranks on 2 cores: MPI_Alltoallw in 18,700 us, 106 us with the hook).
// A callback only copies and uses atomics, and never calls MPI.
#pragma once

namespace heddle::mpi::progress {

/// After MPI_Init. HEDDLE_YIELD=on|off decides, or auto: where there are more ranks than cores.
void start() noexcept;
/// Before MPI_Finalize.
void stop() noexcept;

/// Cores that the ranks of this node share. A rank that is bound to one core shares it with nobody: then what counts is what
/// its launcher may use.
int cores() noexcept;
/// Ranks of this job on this node, as the launcher says; 0 if it does not say.
int ranks() noexcept;

/// The host's engine: calls `body` when it waits, from hook() to unhook(). False: this host has no such thing.
bool hook(void (*body)()) noexcept;
void unhook() noexcept;

}  // namespace heddle::mpi::progress
