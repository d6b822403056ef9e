#include "procedures.hpp"

int caller_sends(int n) { return MPI_Send(n); }
int caller_sends_by_profiling(int n) { return PMPI_Send(n); }
