// mpi/lifecycle/report.hpp: HEDDLE_REPORT from MPI_Init to MPI_Finalize. Includes nothing of Heddle.
#pragma once

namespace heddle::mpi {

/// After MPI_Init.
void start_reporting() noexcept;
/// Before MPI_Finalize, collective over MPI_COMM_WORLD if there is a report: all ranks have HEDDLE_REPORT, or none. Rank 0
/// writes the file.
void finish_reporting() noexcept;

}  // namespace heddle::mpi
