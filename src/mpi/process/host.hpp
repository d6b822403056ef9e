// mpi/process/host.hpp: the host MPI as Heddle sees it: its header, and every PMPI_ symbol, all of them weak. Includes mpi.h,
// nothing of Heddle. Built once per ABI family: MPICH, Open MPI, the standard ABI.
//
// Why weak: the interposer is preloaded also into processes without MPI (launchers, shells), it must load under older
// releases that lack some of these (Open MPI 4.1, Intel MPI), and it must not drag in a second libmpi by DT_NEEDED.
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

#include "host_procedures.hpp"  // made by host_procedures.py: what is weak, and what mpi.h does not declare
