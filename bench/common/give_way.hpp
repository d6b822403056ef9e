// bench/common/give_way.hpp: with more ranks than cores, a rank that waits inside MPI lets others
// run.
//
//   const GiveWay give_way{crowded(ranks)};          // after MPI_Init, gone before MPI_Finalize
//
// Otherwise the benchmark would measure spinning. `heddle bench` sets Open MPI's setting for it
// (mpi_yield_when_idle). MPICH has no setting, so a hook in its progress engine gives way at each
// turn, with and without Heddle.
#pragma once

namespace heddle::bench {

/// Lets others run. MPICH's launcher starts each rank in its own session. If Linux groups processes
/// by session (kernel.sched_autogroup_enabled), sched_yield gives way only within the session. So
/// the function then sleeps a little.
void let_others_run();

/// As root, raises the priority of this process over others. Also of its session, if the process is
/// the session's leader.
void go_first();

class GiveWay {
 public:
  explicit GiveWay(bool needed);
  ~GiveWay();
  GiveWay(const GiveWay&) = delete;
  GiveWay& operator=(const GiveWay&) = delete;
};

}  // namespace heddle::bench
