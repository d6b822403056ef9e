// Transpose of a matrix that is distributed by rows: rank r holds rows r·R … (r+1)·R − 1 of the
// matrix, and in the end the same rows of the transpose.
//
//   mpicc -O2 transpose.c -o transpose && mpiexec -n 2 ./transpose [N [TIMES]]      N × N complex numbers; ranks divide N
//
// One MPI_Alltoall does all of it: the sender's datatype reads a block by rows, the receiver's
// stores it by columns.
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double complex value(int row, int column) { return row + I * column; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 2048, times = argc > 2 ? atoi(argv[2]) : 20;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = n / ranks;
  if (rows * ranks != n) {
    if (rank == 0) fprintf(stderr, "transpose: %d ranks do not divide %d\n", ranks, n);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  // A block for one rank: `rows` numbers of each of my rows. The next block begins where the first
  // row of this one ends.
  MPI_Datatype rectangle, block, line, column;
  MPI_Type_vector(rows, rows, n, MPI_C_DOUBLE_COMPLEX, &rectangle);
  MPI_Type_create_resized(rectangle, 0, rows * sizeof(double complex), &block);
  MPI_Type_commit(&block);
  MPI_Type_free(&rectangle);
  // The receiver stores one column after another. The next column begins one number further right.
  MPI_Type_vector(rows, 1, n, MPI_C_DOUBLE_COMPLEX, &line);
  MPI_Type_create_resized(line, 0, sizeof(double complex), &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&line);

  double complex *a = malloc(sizeof *a * rows * n), *b = malloc(sizeof *b * rows * n);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) a[(size_t)i * n + j] = value(rank * rows + i, j), b[(size_t)i * n + j] = -1;

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {  // forth and back: an odd number of TIMES leaves the transpose in a
    MPI_Alltoall(a, 1, block, b, rows, column, MPI_COMM_WORLD);
    double complex* swap = a;
    a = b, b = swap;
  }
  const double mine = MPI_Wtime() - begin;

  int wrong = 0, any;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) {
      const int row = rank * rows + i;
      wrong |= a[(size_t)i * n + j] != (times % 2 ? value(j, row) : value(row, j));
    }
  double seconds;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("transpose: %d ranks, %d^2 complex numbers, %d times: %s, %.3f seconds\n", ranks, n, times, any ? "wrong" : "right",
           seconds);
  MPI_Type_free(&block);
  MPI_Type_free(&column);
  MPI_Finalize();
  return any;
}
