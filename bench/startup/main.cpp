// bench/startup/main.cpp: times MPI_Init and MPI_Finalize, for `heddle bench startup`. Rank 0
// prints a JSON line.
//
//   mpiexec -n 16 heddle-bench-startup-mpich    {"init_ms": 85.1, "finalize_ms": 3.2, "part_ms": 6.9, "work_ms": 1.0, ...}
//
// init_ms is the time of the slowest rank. finalize_ms is that of rank 0, because it cannot ask
// other ranks afterwards. Under Heddle, part_ms is the median rank's time in Heddle's part of
// MPI_Init, which follows the host's part. work_ms is the rank's own work in it, without the time
// of other ranks on its core. Without Heddle, both are 0.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/host.hpp"

namespace {

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

struct Part {
  double elapsed = 0, work = 0;
};

Part part_of_heddle() {
  Part part;
  using Seen = void (*)(double*, double*);
  if (const auto seen = reinterpret_cast<Seen>(dlsym(RTLD_DEFAULT, "heddle_seen_start"))) seen(&part.elapsed, &part.work);
  return part;
}

/// The median over all ranks, on rank 0.
double median_rank(double mine) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> all(static_cast<std::size_t>(ranks));
  PMPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  std::ranges::nth_element(all, all.begin() + ranks / 2);
  return all[static_cast<std::size_t>(ranks / 2)];
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
  const Part part = part_of_heddle();
  const double part_ms = median_rank(part.elapsed);
  const double work_ms = median_rank(part.work);
  const std::string interposer = heddle::bench::interposer();
  PMPI_Barrier(MPI_COMM_WORLD);
  const auto end = std::chrono::steady_clock::now();
  MPI_Finalize();
  const double finalize = since(end);
  if (rank != 0) return 0;
  const nlohmann::ordered_json line{{"init_ms", init},    {"finalize_ms", finalize},  {"part_ms", part_ms},
                                    {"work_ms", work_ms}, {"interposer", interposer}, {"mpi", heddle::bench::library_name()}};
  std::puts(line.dump().c_str());
}
