// Some entries of a field to the right neighbour in every step, by an index list: the datatype is
// made anew for each message, or once.
//
//   mpicc -O2 once.c -o once && mpiexec -n 2 ./once [anew|once [ENTRIES [STEPS]]]      ENTRIES of a message
//
// The library makes the list ready for each message of the first form. Heddle finds the list again
// by its contents.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n;
static int* places;  // of the entries, ascending

static MPI_Datatype entries(void) {
  MPI_Datatype type;
  MPI_Type_create_indexed_block(n, 1, places, MPI_DOUBLE, &type);
  MPI_Type_set_name(type, "entries");
  MPI_Type_commit(&type);
  return type;
}

static void exchange(const double* field, MPI_Datatype type, double* come, int right, int left) {
  MPI_Sendrecv(field, 1, type, right, 0, come, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* form = argc > 1 ? argv[1] : "anew";
  const int anew = strcmp(form, "once") != 0, steps = argc > 3 ? atoi(argv[3]) : 100;
  n = argc > 2 ? atoi(argv[2]) : 50000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

  places = malloc(sizeof *places * n);
  int end = 0;
  for (int i = 0; i < n; ++i) {  // 1 to 30 apart
    places[i] = end;
    end += 1 + (int)(i * 2654435761U >> 16) % 30;
  }
  double *field = malloc(sizeof *field * end), *come = malloc(sizeof *come * n);
  MPI_Datatype type = anew ? MPI_DATATYPE_NULL : entries();

  int wrong = 0, any;
  double seconds = 0, slowest;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < end; ++i) field[i] = (double)rank * end + i + step;
    const double begin = MPI_Wtime();
    if (anew) type = entries();
    exchange(field, type, come, right, left);
    if (anew) MPI_Type_free(&type);
    seconds += MPI_Wtime() - begin;
    for (int i = 0; i < n; ++i) wrong |= come[i] != (double)left * end + places[i] + step;
  }

  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("once: %d ranks, %d entries, %d steps, made %s: %s, %.3f seconds\n", ranks, n, steps, anew ? "anew" : "once",
           any ? "wrong" : "right", slowest);
  if (!anew) MPI_Type_free(&type);
  MPI_Finalize();
  return any;
}
