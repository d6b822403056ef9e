// contains: a program that contains its MPI library, with the fewest procedures by which Heddle
// recognises one.
#include <stdio.h>

static int state;
int MPI_Init(int* argc, char*** argv) { return (void)argc, (void)argv, state = 1, 0; }
int MPI_Finalize(void) { return state = 2, 0; }
int PMPI_Initialized(int* flag) { return *flag = state > 0, 0; }
int PMPI_Finalized(int* flag) { return *flag = state > 1, 0; }

int main(int argc, char** argv) {
  puts("own work");
  return MPI_Init(&argc, &argv) || MPI_Finalize();
}
