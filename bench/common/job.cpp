// bench/common/job.cpp: see job.hpp.
#include "common/job.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <thread>

namespace heddle::bench {

int as_job(int argc, char** argv, int least_ranks, int most_ranks, const std::function<bool()>& body) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks < least_ranks || ranks > most_ranks) {
    if (rank == 0)
      std::cerr << fmt::format("heddle bench: this program wants {} to {} ranks, not {}\n", least_ranks, most_ranks, ranks);
    MPI_Finalize();
    return 2;
  }
  bool fine = false;
  try {
    fine = body();
  } catch (const std::exception& problem) {
    std::cerr << "heddle bench: " << problem.what() << std::endl;
    // MPICH's launcher drops output that it has not passed on before the job is aborted.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return fine ? 0 : 1;
}

}  // namespace heddle::bench
