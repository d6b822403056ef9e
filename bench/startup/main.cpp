// bench/startup/main.cpp: what MPI_Init and MPI_Finalize take, for `heddle bench startup`. Rank 0 prints a JSON line.
//
//   mpiexec -n 16 heddle-bench-startup-mpich                 {"init_ms": 85.1, "finalize_ms": 3.2, "interposer": "host", ...}
//
// Init is the slowest rank's, Finalize rank 0's: after it nobody can ask the others.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/host.hpp"

namespace {

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const auto begin = std::chrono::steady_clock::now();
  MPI_Init(&argc, &argv);
  const double mine = since(begin);
  double init = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(&mine, &init, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const std::string interposer = heddle::bench::interposer();
  PMPI_Barrier(MPI_COMM_WORLD);
  const auto end = std::chrono::steady_clock::now();
  MPI_Finalize();
  const double finalize = since(end);
  if (rank != 0) return 0;
  const nlohmann::ordered_json line{
      {"init_ms", init}, {"finalize_ms", finalize}, {"interposer", interposer}, {"mpi", heddle::bench::library_name()}};
  std::puts(line.dump().c_str());
}
