/* routes: rank 0 sends vectors to rank 1 by every kind of send. The stride of a vector, in ints,
 * encodes both: 1000 * (1 + size) + kind. Prints wrong data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 128

enum { SEND, ISEND, SSEND, ISSEND, SEND_INIT, SSEND_INIT, SENDRECV, ISENDRECV, SPELLINGS };
static const int widths[] = {1, 16, 512}; /* ints of a row: 512 B, 8 KiB, 256 KiB in all */

static int rank, nothing;
static MPI_Status status;

static void send_by(int spelling, const int* at, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (spelling) {
    case SEND:
      MPI_Send(at, 1, type, 1, 7, MPI_COMM_WORLD);
      break;
    case ISEND:
      MPI_Isend(at, 1, type, 1, 7, MPI_COMM_WORLD, &request);
      break;
    case SSEND:
      MPI_Ssend(at, 1, type, 1, 7, MPI_COMM_WORLD);
      break;
    case ISSEND:
      MPI_Issend(at, 1, type, 1, 7, MPI_COMM_WORLD, &request);
      break;
    case SEND_INIT:
    case SSEND_INIT:
      (spelling == SEND_INIT ? MPI_Send_init : MPI_Ssend_init)(at, 1, type, 1, 7, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
      break;
    case SENDRECV:
      MPI_Sendrecv(at, 1, type, 1, 7, &nothing, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, &status);
      break;
    case ISENDRECV:
      MPI_Isendrecv(at, 1, type, 1, 7, &nothing, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
      break;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int size = 0; size < 3; ++size)
    for (int spelling = 0; spelling < SPELLINGS; ++spelling) {
      const int stride = 1000 * (1 + size) + spelling;
      int* at = calloc((size_t)ROWS * stride, sizeof *at);
      MPI_Datatype type;
      MPI_Type_vector(ROWS, widths[size], stride, MPI_INT, &type);
      MPI_Type_commit(&type);
      for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < ROWS * stride; ++i) at[i] = rank == 0 ? i ^ round : -1;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
          send_by(spelling, at, type);
        } else {
          MPI_Recv(at, 1, type, 0, 7, MPI_COMM_WORLD, &status);
          if (spelling == SENDRECV || spelling == ISENDRECV) MPI_Send(&nothing, 0, MPI_INT, 0, 8, MPI_COMM_WORLD);
          for (int i = 0; i < ROWS * stride; ++i)
            if (at[i] != (i % stride < widths[size] ? (i ^ round) : -1)) {
              printf("spelling %d, size %d, round %d: wrong at %d\n", spelling, size, round, i);
              break;
            }
        }
      }
      MPI_Type_free(&type);
      free(at);
    }
  MPI_Finalize();
  return 0;
}
