// mpi/process/heap.cpp: raises glibc's own dynamic thresholds, as the program's first big free would.
#include "mpi/process/heap.hpp"

#include <cstdlib>

namespace heddle::mpi {

// When a program frees a block that malloc had mapped, glibc raises two thresholds: blocks up to that size come from the heap
// from then on, and the heap keeps twice that size at its top (mallopt(3), "dynamic mmap threshold"). 32 MiB is the largest
// block with that effect. A thread that tunes malloc itself has switched the mechanism off. mallopt() would do that, too.
void keep_heap() noexcept {
  constexpr std::size_t largest = std::size_t{32} << 20;
  constexpr std::size_t header_and_page = 2 * 4096;
  void* volatile block = std::malloc(largest - header_and_page);  // volatile: the compiler drops a malloc without a use
  std::free(block);
}

}  // namespace heddle::mpi
