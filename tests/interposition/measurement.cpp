#include "procedures.hpp"

extern "C" {
[[gnu::visibility("default")]] extern const int heddle_pmpi_is_host;
const int heddle_pmpi_is_host = 1;
}

int measurement_sends(int n) { return MPI_Send(n); }
int measurement_sends_by_profiling(int n) { return PMPI_Send(n); }
