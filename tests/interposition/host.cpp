#include "procedures.hpp"

int PMPI_Send(int n) { return n + 1; }
int MPI_Send(int n) { return n + 1; }
int MPI_Passed(int n) { return n; }
