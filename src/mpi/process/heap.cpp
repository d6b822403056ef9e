// mpi/process/heap.cpp: raises glibc's own dynamic thresholds, as the program's first big free
// would.
#include "mpi/process/heap.hpp"

#include <cstdlib>

namespace heddle::mpi {

// When a program frees a block that malloc had mapped, glibc raises two thresholds (mallopt(3),
// "dynamic mmap threshold"). From then on, blocks up to that size come from the heap, and the heap
// keeps up to twice that size at its top. 32 MiB is the largest block with that effect. If the
// program or its user tunes malloc, glibc does not adapt the thresholds any more. mallopt() would
// switch this off, too, so Heddle does not call it.
void keep_heap() noexcept {
  constexpr std::size_t largest = std::size_t{32} << 20;
  constexpr std::size_t header_and_page = 2 * 4096;
  void* volatile block = std::malloc(largest - header_and_page);  // volatile: the compiler drops a malloc without a use
  std::free(block);
}

}  // namespace heddle::mpi
