// Irregular gather: each rank owns a part of a vector, and in every step needs some entries of all
// parts. Sparse matrix-vector products and unstructured meshes do so.
//
//   mpicc -O2 gather.c -o gather && mpiexec -n 2 ./gather [ENTRIES [STEPS]]      ENTRIES of a rank's part of the vector
//
// The ranks exchange their index lists once. From then on, an owner sends entries right out of its
// vector, by an MPI_Type_create_indexed_block. The receiver uses another to store them in the order
// of its own numbering.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long state;
static int below(int limit) {  // the generator of Knuth's MMIX: good enough to scatter indices
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned)limit);
}
static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 200000, steps = argc > 2 ? atoi(argv[2]) : 500;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int share = n / 10, ghosts = share * ranks;  // a tenth of each part, also of mine: the ghosts are copies
  state = rank + 1;

  // need: the entries that I need of each owner (ascending). place: their places among my ghosts
  // (in any order).
  int *need = malloc(sizeof(int) * ghosts), *place = malloc(sizeof(int) * ghosts), *asked = malloc(sizeof(int) * ghosts);
  for (int owner = 0; owner < ranks; ++owner) {
    for (int i = 0; i < share; ++i) need[owner * share + i] = below(n);
    qsort(need + owner * share, share, sizeof(int), ascending);
  }
  for (int i = 0; i < ghosts; ++i) place[i] = i;
  for (int i = ghosts - 1; i > 0; --i) {
    const int j = below(i + 1), swap = place[i];
    place[i] = place[j], place[j] = swap;
  }
  MPI_Alltoall(need, share, MPI_INT, asked, share, MPI_INT, MPI_COMM_WORLD);

  MPI_Datatype *send = malloc(sizeof *send * ranks), *receive = malloc(sizeof *receive * ranks);
  int *one = malloc(sizeof(int) * ranks), *zero = calloc(ranks, sizeof(int));
  for (int other = 0; other < ranks; ++other) {
    one[other] = 1;
    MPI_Type_create_indexed_block(share, 1, asked + other * share, MPI_DOUBLE, &send[other]);
    MPI_Type_create_indexed_block(share, 1, place + other * share, MPI_DOUBLE, &receive[other]);
    MPI_Type_commit(&send[other]);
    MPI_Type_commit(&receive[other]);
  }

  double *x = malloc(sizeof(double) * n), *ghost = malloc(sizeof(double) * ghosts);
  int wrong = 0, any;
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) x[i] = (double)rank * n + i + step;
    const double begin = MPI_Wtime();
    MPI_Alltoallw(x, one, zero, send, ghost, one, zero, receive, MPI_COMM_WORLD);
    seconds += MPI_Wtime() - begin;
    if (step % 100 == 0 || step == steps - 1)
      for (int i = 0; i < ghosts; ++i) wrong |= ghost[place[i]] != (double)(i / share) * n + need[i] + step;
  }

  double slowest;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("gather: %d ranks, %d entries each, %d steps: %s, %.3f seconds\n", ranks, n, steps, any ? "wrong" : "right",
           slowest);
  for (int other = 0; other < ranks; ++other) MPI_Type_free(&send[other]), MPI_Type_free(&receive[other]);
  MPI_Finalize();
  return any;
}
