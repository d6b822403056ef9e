// mpi.h as every test includes it: without C++ bindings, and with visible symbols. The tests are
// built with hidden visibility and define some PMPI_ procedures themselves (pmpi_spy.hpp).
#pragma once

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <dlfcn.h>

namespace heddle::test {

/// The host's own procedure, behind Heddle and behind the definitions of this program.
inline void* of_host(const char* name) {
  using Seen = void* (*)(const char*);
  static const auto seen = reinterpret_cast<Seen>(dlsym(RTLD_DEFAULT, "heddle_seen_host"));
  void* const behind = seen ? seen(name) : nullptr;
  return behind ? behind : dlsym(RTLD_NEXT, name);
}

}  // namespace heddle::test

/// 1 if the host has the large-count (_c) procedures of MPI-4.
#if MPI_VERSION >= 4
#define HOST_LARGE_COUNTS 1
#else
#define HOST_LARGE_COUNTS 0
#endif
