/* column: rank 0 sends a column of a matrix to rank 1, then both ranks exchange columns by
   MPI_Alltoallw. docs/tour.md follows these two calls through Heddle. 2 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 65536, columns = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    if (rank == 0) fprintf(stderr, "column: start 2 ranks, not %d\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  double* const matrix = malloc(sizeof(double) * rows * columns);
  double* const received = calloc((size_t)rows * columns, sizeof(double));
  for (int i = 0; i < rows * columns; ++i) matrix[i] = rank * 1e6 + i;

  MPI_Datatype column;
  MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  if (rank == 0)
    MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(received, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  /* Column r of this matrix goes to rank r, and arrives there as column s of the sender s. */
  const int ones[] = {1, 1}, offsets[] = {0, sizeof(double)};
  const MPI_Datatype types[] = {column, column};
  MPI_Alltoallw(matrix, ones, offsets, types, received, ones, offsets, types, MPI_COMM_WORLD);

  long wrong = 0;
  for (int s = 0; s < ranks; ++s)
    for (long i = 0; i < rows; ++i) wrong += received[i * columns + s] != s * 1e6 + i * columns + rank;
  printf("column: rank %d: %s\n", rank, wrong ? "wrong" : "right");
  MPI_Type_free(&column);
  free(received);
  free(matrix);
  MPI_Finalize();
  return wrong != 0;
}
