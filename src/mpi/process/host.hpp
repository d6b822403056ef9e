// mpi/process/host.hpp: the header of the host MPI, and its PMPI_ symbols, all of them weak. Built
// once per ABI family: MPICH, Open MPI, the standard ABI.
//
// The symbols are weak for three reasons. The interposer is also preloaded into processes without
// MPI (launchers, shells). It must load under older releases that lack some procedures (Open MPI
// 4.1, Intel MPI). It must not pull in a second libmpi by DT_NEEDED.
#pragma once

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0  // Open MPI 6 defines it as -1: not that ABI
#define HEDDLE_FAMILY "the MPI standard ABI"
#define HEDDLE_FAMILY_ABI 1
#elif defined(OPEN_MPI)
#define HEDDLE_FAMILY "Open MPI"
#define HEDDLE_FAMILY_OPENMPI 1
#else
#define HEDDLE_FAMILY "MPICH"
#define HEDDLE_FAMILY_MPICH 1
#endif

/// 1 where the header knows MPI_Type_get_value_index.
#if MPI_VERSION >= 4
#define HEDDLE_VALUE_INDEX 1
#else
#define HEDDLE_VALUE_INDEX 0
#endif

#include "host_procedures.hpp"  // made by host_procedures.py: weak symbols, and procedures that mpi.h lacks
