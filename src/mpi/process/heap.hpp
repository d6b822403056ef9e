// mpi/process/heap.hpp: the program's heap keeps its pages.
#pragma once

namespace heddle::mpi {

/// Lets glibc's malloc keep up to 8 MiB of free memory at the top of the heap, and take blocks of
/// up to 4 MiB from the heap. Programs that free small arrays in each step otherwise return
/// their pages to the system and fault them in again. Changes nothing if the user has tuned malloc
/// (MALLOC_TRIM_THRESHOLD_, GLIBC_TUNABLES, mallopt), or under another malloc.
void keep_heap() noexcept;

}  // namespace heddle::mpi
