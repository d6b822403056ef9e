// mpi/lifecycle/report.hpp: who looks on at the program's calls from MPI_Init to MPI_Finalize: for HEDDLE_REPORT (report.cpp),
// and for HEDDLE_EXPLAIN, where rank 0 says what heddle explain says of datatypes as the program uses them (explain.cpp).
// Includes nothing of Heddle.
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

}  // namespace heddle::mpi
