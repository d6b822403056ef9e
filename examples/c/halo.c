// Halo exchange: each rank smooths its box of a periodic 3-D grid. Before every step it fetches the
// ghost cells around the box.
//
//   mpicc -O2 halo.c -o halo -lm && mpiexec -n 2 ./halo [CELLS [STEPS]]      CELLS along each side of a rank's box
//
// A face is an MPI_Type_create_subarray of the array: the program copies nothing. The faces in x
// consist of single doubles, CELLS + 2 doubles apart. The faces in y consist of rows. The faces in
// z are planes.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, side;  // cells along a side, without and with ghost cells

static double* at(double* u, int x, int y, int z) { return u + ((size_t)z * side + y) * side + x; }

// The layer of cells where coordinate `axis` is `layer`.
static MPI_Datatype face(int axis, int layer) {
  const int all[3] = {side, side, side};
  int part[3] = {n, n, n}, start[3] = {1, 1, 1};
  part[2 - axis] = 1;  // arrays of C: z is the first dimension, x the last
  start[2 - axis] = layer;
  MPI_Datatype type;
  MPI_Type_create_subarray(3, all, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  n = argc > 1 ? atoi(argv[1]) : 48;
  const int steps = argc > 2 ? atoi(argv[2]) : 2000;
  side = n + 2;

  int rank, ranks, dims[3] = {0, 0, 0}, me[3], neighbour[3][2];
  const int periodic[3] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periodic, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 3, me);

  MPI_Datatype inner[3][2], ghost[3][2];
  for (int axis = 0; axis < 3; ++axis) {
    MPI_Cart_shift(grid, axis, 1, &neighbour[axis][0], &neighbour[axis][1]);
    for (int end = 0; end < 2; ++end) {
      inner[axis][end] = face(axis, end ? n : 1);
      ghost[axis][end] = face(axis, end ? n + 1 : 0);
    }
  }

  // The grid begins as a sum of cosines. The mean of six neighbours scales each cosine, so the
  // answer is known.
  double *u = calloc((size_t)side * side * side, sizeof *u), *next = calloc((size_t)side * side * side, sizeof *next);
  double wave[3];
  for (int axis = 0; axis < 3; ++axis) wave[axis] = 2 * acos(-1) / (dims[axis] * n);
#define COSINE(axis, i) cos(wave[axis] * (me[axis] * n + (i)-1))
  for (int z = 1; z <= n; ++z)
    for (int y = 1; y <= n; ++y)
      for (int x = 1; x <= n; ++x) *at(u, x, y, z) = COSINE(0, x) + COSINE(1, y) + COSINE(2, z);

  MPI_Barrier(grid);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[12];
    int pending = 0;
    for (int axis = 0; axis < 3; ++axis)
      for (int end = 0; end < 2; ++end)  // a face leaves at one end and arrives at the other: the tag names the first
        MPI_Irecv(u, 1, ghost[axis][end], neighbour[axis][end], 2 * axis + !end, grid, &requests[pending++]);
    for (int axis = 0; axis < 3; ++axis)
      for (int end = 0; end < 2; ++end)
        MPI_Isend(u, 1, inner[axis][end], neighbour[axis][end], 2 * axis + end, grid, &requests[pending++]);
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);

    for (int z = 1; z <= n; ++z)
      for (int y = 1; y <= n; ++y)
        for (int x = 1; x <= n; ++x) {
          const double* here = at(u, x, y, z);
          *at(next, x, y, z) = (here[-1] + here[1] + here[-side] + here[side] + here[-side * side] + here[side * side]) / 6;
        }
    double* old = u;
    u = next, next = old;
  }
  double seconds = MPI_Wtime() - begin, worst = 0, factor[3];

  for (int axis = 0; axis < 3; ++axis) factor[axis] = pow((2 + cos(wave[axis])) / 3, steps);
  for (int z = 1; z <= n; ++z)
    for (int y = 1; y <= n; ++y)
      for (int x = 1; x <= n; ++x)
        worst =
            fmax(worst, fabs(*at(u, x, y, z) - factor[0] * COSINE(0, x) - factor[1] * COSINE(1, y) - factor[2] * COSINE(2, z)));
  double mine[2] = {seconds, worst}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, grid);
  const int wrong = !(all[1] < 1e-9);
  if (rank == 0)
    printf("halo: %d ranks, %d^3 cells each, %d steps: %s, %.3f seconds\n", ranks, n, steps, wrong ? "wrong" : "right", all[0]);
  for (int axis = 0; axis < 3; ++axis)
    for (int end = 0; end < 2; ++end) MPI_Type_free(&inner[axis][end]), MPI_Type_free(&ghost[axis][end]);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return wrong;
}
