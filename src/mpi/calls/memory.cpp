// mpi/calls/memory.cpp: memory for heddle_alloc of heddle/heddle.h. The other ranks of the node can
// map it (transport/mapped/shared_memory.hpp), so a message from it takes one pass. MPI_Alloc_mem
// stays the host's: programs map other pages over its memory, and their children write into their
// copies. A mapping that peers share allows neither.
#include <cstddef>

#include "mpi/node/mpi_node.hpp"

using heddle::mpi::MpiNode;

extern "C" {

#pragma GCC visibility push(default)
void* heddle_shared_allocate(std::size_t bytes);
int heddle_shared_release(void* memory);
#pragma GCC visibility pop

void* heddle_shared_allocate(std::size_t bytes) {
  MpiNode* node = MpiNode::here();
  return node ? node->shared().allocate_zeroed(static_cast<heddle::mpi::Bytes>(bytes)) : nullptr;
}

int heddle_shared_release(void* memory) {
  MpiNode* node = MpiNode::ever();
  return node && node->shared().release(memory) ? 1 : 0;
}

}  // extern "C"
