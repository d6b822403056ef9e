/* Posts windows of receives into one buffer, like bandwidth benchmarks. Prints "right" if every
 * status has the size of its message, and the last message's numbers are in place. Arguments:
 * bytes; 2 for both directions; and "holes" if the numbers lie apart. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 64, rounds = 4 };

int main(int argc, char** argv) {
  int rank = 0, wrong = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = atoi(argv[1]), both = atoi(argv[2]) == 2, holes = argc > 3 && strcmp(argv[3], "holes") == 0;
  const int numbers = bytes / (int)sizeof(int), step = holes ? 2 : 1;
  int *to = malloc(step * bytes), *from = calloc(step, bytes);
  MPI_Datatype type = MPI_CHAR, vector;
  MPI_Type_vector(numbers, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  if (holes) type = vector;
  const int count = holes ? 1 : bytes;
  MPI_Request requests[2 * window];
  MPI_Status statuses[2 * window];
  for (int round = 0; round < rounds; ++round) {
    int n = 0;
    for (int i = 0; i < numbers; ++i) from[step * i] = round + i;
    for (int i = 0; i < step * numbers; ++i) to[i] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < window && (both || rank == 1); ++i)
      MPI_Irecv(to, count, type, 1 - rank, 100, MPI_COMM_WORLD, &requests[n++]);
    const int received = n;
    for (int i = 0; i < window && (both || rank == 0); ++i)
      MPI_Isend(from, count, type, 1 - rank, 100, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, statuses);
    for (int i = 0; i < received; ++i) {
      int arrived = 0;
      MPI_Get_count(&statuses[i], type, &arrived);
      wrong += arrived != count;
    }
    for (int i = 0; received > 0 && i < numbers; ++i) wrong += to[step * i] != round + i;
    for (int i = 0; received > 0 && holes && i < numbers; ++i) wrong += to[2 * i + 1] != -1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all == 0 ? "right" : "wrong");
  MPI_Type_free(&vector);
  return MPI_Finalize();
}
