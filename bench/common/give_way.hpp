// bench/common/give_way.hpp: with more ranks than cores, a rank that waits inside MPI lets the others run. Includes MPI.
//
//   const GiveWay give_way{crowded(ranks)};          // after MPI_Init, gone before MPI_Finalize
//
// Without it the benchmark measures spinning. Open MPI has a setting for it (mpi_yield_when_idle), which `heddle bench` sets;
// MPICH has none that does it, so a hook in its progress engine gives way at each turn. Host and Heddle run under the same.
#pragma once

namespace heddle::bench {

/// Lets others run. MPICH's launcher starts each rank in a session of its own; where Linux groups processes by session
/// (kernel.sched_autogroup_enabled), sched_yield gives way within the session only, and one has to sleep a little.
void let_others_run();

/// Asks for priority over other processes, where one may (root): of this one, and of its session if it has one of its own.
void go_first();

class GiveWay {
 public:
  explicit GiveWay(bool needed);
  ~GiveWay();
  GiveWay(const GiveWay&) = delete;
  GiveWay& operator=(const GiveWay&) = delete;
};

}  // namespace heddle::bench
