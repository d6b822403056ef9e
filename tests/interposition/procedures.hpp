// A stand-in for MPI: a host with three procedures, and objects that call it. The host answers
// n + 1, Heddle answers -n.
#pragma once

#pragma GCC visibility push(default)
extern "C" {
int MPI_Send(int n);
int PMPI_Send(int n);
int MPI_Passed(int n);

/// Procedures of an ordinary object.
int caller_sends(int n);
int caller_sends_by_profiling(int n);

/// Procedures of an object whose PMPI_ names stay the host's.
int measurement_sends(int n);
int measurement_sends_by_profiling(int n);
}
#pragma GCC visibility pop
