// heap kept|returned: malloc keeps or returns the pages of arrays that a program allocates and
// frees in each step. A large array always gets a mapping of its own.
//
// There are many arrays of 64 KiB. malloc never maps them one by one, so the program itself does
// not raise malloc's thresholds.
#include <malloc.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t array_bytes = std::size_t{64} << 10;
constexpr std::size_t arrays = 96;  // 6 MiB

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void step(std::vector<void*>& all) {
  for (void*& array : all) {
    array = std::malloc(array_bytes);
    std::memset(array, 1, array_bytes);
  }
  for (void* array : all) std::free(array);
}

bool maps_a_large_array() {
  const std::size_t before = mallinfo2().hblks;
  void* volatile array = std::malloc(std::size_t{16} << 20);  // volatile: the compiler drops a malloc without a use
  const bool mapped = mallinfo2().hblks == before + 1;
  std::free(array);
  return mapped;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) return 2;
  std::vector<void*> all(arrays);
  step(all);
  const long before = faults();
  constexpr long steps = 4;
  for (long i = 0; i < steps; ++i) step(all);
  const long faulted = (faults() - before) / steps;
  const bool mapped = maps_a_large_array();
  MPI_Finalize();
  const long pages = static_cast<long>(arrays * array_bytes) / sysconf(_SC_PAGESIZE);
  const bool kept = std::strcmp(argv[1], "kept") == 0;
  std::printf("%ld of %ld pages were faulted in again at each step\n", faulted, pages);
  std::printf("an array of 16 MiB %s\n", mapped ? "has a mapping of its own" : "lies in the heap");
  return mapped && (kept ? faulted < pages / 10 : faulted > pages / 2) ? 0 : 1;
}
