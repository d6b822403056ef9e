// bench/common/give_way.hpp: with more ranks than cores, a rank that waits inside MPI lets the others run. Includes MPI.
//
//   const GiveWay give_way{crowded(ranks)};          // after MPI_Init, gone before MPI_Finalize
//
// Otherwise the benchmark would measure spinning. Open MPI has a setting for this (mpi_yield_when_idle), which `heddle bench`
// sets. MPICH has no such setting, so a hook in its progress engine gives way at each turn. Host and Heddle run alike.
#pragma once

namespace heddle::bench {

/// Lets others run. MPICH's launcher starts each rank in a session of its own; where Linux groups processes by session
/// (kernel.sched_autogroup_enabled), sched_yield gives way within the session only, and one has to sleep a little.
void let_others_run();

/// As root, asks for priority over other processes, for this process and for its session if the session is its own.
void go_first();

class GiveWay {
 public:
  explicit GiveWay(bool needed);
  ~GiveWay();
  GiveWay(const GiveWay&) = delete;
  GiveWay& operator=(const GiveWay&) = delete;
};

}  // namespace heddle::bench
