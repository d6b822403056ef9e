// mpi/calls/memory.cpp: MPI_Alloc_mem hands out memory that the other ranks of the node can map (transport/shared_memory.hpp),
// so that a message from it takes one pass. Behind heddle_alloc of heddle/heddle.h, too.
#include <cstddef>

#include "mpi/node/node.hpp"

using heddle::mpi::Node;

extern "C" {

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (Node* node = Node::here(); node && size >= heddle::transport::SharedMemory::worthwhile)
    if (void* memory = node->shared().allocate(size)) {
      *static_cast<void**>(baseptr) = memory;
      return MPI_SUCCESS;
    }
  return PMPI_Alloc_mem(size, info, baseptr);
}

int MPI_Free_mem(void* base) {
  if (Node* node = Node::ever(); node && node->shared().release(base)) return MPI_SUCCESS;
  return PMPI_Free_mem(base);
}

#pragma GCC visibility push(default)
void* heddle_shared_allocate(std::size_t bytes);
int heddle_shared_release(void* memory);
#pragma GCC visibility pop

void* heddle_shared_allocate(std::size_t bytes) {
  Node* node = Node::here();
  return node ? node->shared().allocate_zeroed(static_cast<heddle::mpi::Bytes>(bytes)) : nullptr;
}

int heddle_shared_release(void* memory) {
  Node* node = Node::ever();
  return node && node->shared().release(memory) ? 1 : 0;
}

}  // extern "C"
