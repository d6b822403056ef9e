/* Posts windows of receives into one buffer, like bandwidth benchmarks. Prints "right" if every status
 * has the size of its message. Arguments: bytes, and 2 for both directions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { window = 64, rounds = 4 };

int main(int argc, char** argv) {
  int rank = 0, wrong = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = atoi(argv[1]), both = atoi(argv[2]) == 2;
  char *to = malloc(bytes), *from = calloc(bytes, 1);
  MPI_Request requests[2 * window];
  MPI_Status statuses[2 * window];
  for (int round = 0; round < rounds; ++round) {
    int n = 0;
    for (int i = 0; i < window && (both || rank == 1); ++i)
      MPI_Irecv(to, bytes, MPI_CHAR, 1 - rank, 100, MPI_COMM_WORLD, &requests[n++]);
    const int received = n;
    for (int i = 0; i < window && (both || rank == 0); ++i)
      MPI_Isend(from, bytes, MPI_CHAR, 1 - rank, 100, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, statuses);
    for (int i = 0; i < received; ++i) {
      int count = 0;
      MPI_Get_count(&statuses[i], MPI_CHAR, &count);
      wrong += count != bytes;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all == 0 ? "right" : "wrong");
  return MPI_Finalize();
}
