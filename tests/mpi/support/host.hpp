// mpi.h as every test includes it: no C++ bindings, and its symbols visible, for the tests are built with hidden visibility
// and define some PMPI_ procedures themselves (witness.hpp).
#pragma once

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

/// 1 where the host has the large-count (_c) procedures of MPI-4.
#if MPI_VERSION >= 4
#define HOST_LARGE_COUNTS 1
#else
#define HOST_LARGE_COUNTS 0
#endif
