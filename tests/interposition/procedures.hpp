// What stands for MPI here: a host of three procedures, and objects that call it. The host answers n + 1, Heddle's answer -n.
#pragma once

#pragma GCC visibility push(default)
extern "C" {
int MPI_Send(int n);
int PMPI_Send(int n);
int MPI_Passed(int n);

/// Of an object like others.
int caller_sends(int n);
int caller_sends_by_profiling(int n);

/// Of one whose PMPI_ names stay the host's.
int measurement_sends(int n);
int measurement_sends_by_profiling(int n);
}
#pragma GCC visibility pop
