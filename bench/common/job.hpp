// bench/common/job.hpp: the main function of a program of several ranks.
//
//   int main(int argc, char** argv) { return as_job(argc, argv, 2, 2, [] { return measure_all(); }); }
#pragma once

#include <functional>

namespace heddle::bench {

/// Runs MPI_Init, `body` on each rank, and MPI_Finalize. `body` returns false after a fault. An
/// exception of `body` is printed, and ends the job. @return the exit status
int as_job(int argc, char** argv, int least_ranks, int most_ranks, const std::function<bool()>& body);

}  // namespace heddle::bench
