/* Sends a word to each rank by heddle_exchange, from heddle_alloc. Prints whether Heddle did
 * both. */
#include <heddle/exchange.h>
#include <heddle/heddle.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* word = (int*)heddle_alloc(1 << 20);
  *word = rank;
  const int to = (rank + 1) % ranks;
  const MPI_Count one = 1;
  heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
  heddle_exchange(word, 1, &to, &one, NULL, MPI_INT, &came, MPI_INT, MPI_COMM_WORLD);
  const int right = came.messages == 1 && *(int*)came.data == (rank + ranks - 1) % ranks;
  printf("%s %s %s\n", right ? "right" : "wrong", HEDDLE_WEAK(heddle_shared_allocate) ? "shared" : "plain",
         HEDDLE_WEAK(heddle_exchange_carry_out) ? "heddle" : "consensus");
  heddle_arrivals_free(&came);
  heddle_free(word);
  return MPI_Finalize();
}
