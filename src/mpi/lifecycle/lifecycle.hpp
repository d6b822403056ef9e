// mpi/lifecycle/lifecycle.hpp: what happens between MPI_Init and MPI_Finalize where somebody wants to know: for HEDDLE_REPORT
// and HEDDLE_TRACE (report.cpp); for HEDDLE_EXPLAIN, where rank 0 says what heddle explain says of datatypes as the program
// uses them (explain.cpp); for HEDDLE_DOCTOR, where Heddle says what it finds in a program and what will be in effect, in lines
// that people and `heddle doctor -- PROGRAM` read, and the process ends before the program's own work (doctor.cpp). Includes
// nothing of Heddle.
//
//   heddle: ✓ receives: all reach Heddle, under any name
//   heddle: ! collectives: Heddle packs around the MPI library's own algorithms → why, or what to do
#pragma once

namespace heddle::mpi {

/// After MPI_Init.
void start_reporting() noexcept;
/// Before MPI_Finalize, collective over MPI_COMM_WORLD if there is a report: all ranks have HEDDLE_REPORT, or none. Rank 0
/// writes the file.
void finish_reporting() noexcept;

/// After start_reporting(). Nothing, if HEDDLE_EXPLAIN is not set, and on all ranks but the first.
void start_explaining() noexcept;
/// Before finish_reporting(). Says which names nothing had.
void finish_explaining() noexcept;

/// What the ranks have come to in MPI_Init.
struct StartOutcome {
  const char* missed;  ///< interposition::misses().
  unsigned wanted;     ///< What the settings ask for, as in agreement.hpp.
  unsigned all;        ///< What every rank wishes.
};

/// With HEDDLE_VERBOSE=1, in MPI_Init: "heddle: above Heddle: libtool.so (MPI_Recv).", where there is something.
void say_tools_if_asked() noexcept;

/// At the end of MPI_Init.
void say_findings(const StartOutcome& started) noexcept;

/// At the end of MPI_Session_init: there, nothing is shared with other ranks.
void say_findings_of_session() noexcept;

}  // namespace heddle::mpi
