// mpi/process/heap.cpp: raises glibc's own dynamic thresholds, as the program's first big free
// would.
#include "mpi/process/heap.hpp"

#include <cstdlib>

namespace heddle::mpi {

// When a program frees a block that malloc had mapped, glibc raises two thresholds (mallopt(3),
// "dynamic mmap threshold"). From then on, blocks up to that size come from the heap, and the heap
// keeps up to twice that size at its top. If the program or its user tunes malloc, glibc does not
// adapt the thresholds any more. mallopt() would switch this off, too, so Heddle does not call it.
//
// 4 MiB are enough for programs such as MPI-AMRVAC, which needs 1 MiB. Larger arrays keep mappings
// of their own, because some programs are slower with such arrays in the heap (NPB's CG on a Xeon).
void keep_heap() noexcept {
  constexpr std::size_t size = std::size_t{4} << 20;
  void* volatile block = std::malloc(size);  // volatile: the compiler drops a malloc without a use
  std::free(block);
}

}  // namespace heddle::mpi
