// mpi/lifecycle/lifecycle.hpp: what Heddle does between MPI_Init and MPI_Finalize for a user who
// wants to know more.
//
//   report.cpp     HEDDLE_REPORT, HEDDLE_TRACE
//   explain.cpp    HEDDLE_EXPLAIN: rank 0 says of datatypes what `heddle explain` says, as the program uses them
//   doctor.cpp     HEDDLE_DOCTOR: says what Heddle finds in a program, and what will be in effect
//
// People and `heddle doctor -- PROGRAM` read the lines of doctor.cpp. The process ends before the
// program's own work.
//
//   heddle: ✓ receives: all reach Heddle, under any name
//   heddle: ! collectives: Heddle packs around the MPI library's own algorithms → why, or what to do
#pragma once

namespace heddle::mpi {

/// After MPI_Init.
void start_reporting() noexcept;
/// At the begin of MPI_Finalize: its time counts until finish_reporting().
/// @param from  The return address of the program's call.
void report_end(const void* from) noexcept;
/// Within MPI_Finalize. If there is a report, collective over MPI_COMM_WORLD: all ranks have
/// HEDDLE_REPORT, or none. Rank 0 writes the file.
/// @param together  False: the report has rank 0 alone (finalize_waits()).
/// @param met  All ranks have met in MPI_Finalize. Otherwise this waits for them, so that the
/// report has the wait.
void finish_reporting(bool together, bool met) noexcept;

/// After start_reporting(). Does nothing if HEDDLE_EXPLAIN is not set, or on any rank but the
/// first.
void start_explaining() noexcept;
/// Before finish_reporting(). Names what HEDDLE_EXPLAIN asks for and no datatype had.
void finish_explaining() noexcept;

/// The result of the ranks' agreement in MPI_Init.
struct StartOutcome {
  const char* missed;  ///< interposition::misses().
  unsigned wanted;     ///< The wishes by the settings, as in mpi/node/job_agreement.hpp.
  unsigned all;        ///< The wishes of all ranks.
};

/// Called in MPI_Init. Names the tools above Heddle, if there are any and HEDDLE_VERBOSE=1 is set.
///
///   heddle: above Heddle: libtool.so (MPI_Recv).
void say_tools_if_asked() noexcept;

/// At the end of MPI_Init.
void say_findings(const StartOutcome& started) noexcept;

/// At the end of MPI_Session_init: there, nothing is shared with other ranks.
void say_findings_of_session() noexcept;

}  // namespace heddle::mpi
