/* pieces SEED: two ranks exchange contiguous messages by all kinds of calls, and print the data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (6 << 20)

static unsigned state;
static unsigned next(unsigned below) { return (state = state * 1664525u + 1013904223u) / 65536u % below; }

static unsigned long hash(const unsigned char* at, long bytes) {
  unsigned long sum = 1469598103934665603ul, word;
  long i = 0;
  for (; i + 8 <= bytes; i += 8) { /* a byte at a time would be most of the run */
    memcpy(&word, at + i, 8);
    sum = (sum ^ word) * 1099511628211ul;
    sum ^= sum >> 29;
  }
  for (; i < bytes; ++i) sum = (sum ^ at[i]) * 1099511628211ul;
  return sum;
}

static void fill(unsigned char* at, long bytes, unsigned number) {
  for (long i = 0; i < bytes; ++i) at[i] = (unsigned char)((i * 31 + i / 251 + number * 77) >> 1);
}

static int rank;

static void tell(int round, const char* how, int result, MPI_Status* status, MPI_Datatype type, const unsigned char* at,
                 long bytes) {
  int class = MPI_SUCCESS, count = -1;
  MPI_Error_class(result, &class);
  if (class == MPI_SUCCESS) MPI_Get_count(status, type, &count);
  printf("%d: %d %s %s count %d tag %d %lx\n", rank, round, how,
         class == MPI_SUCCESS        ? "fine"
         : class == MPI_ERR_TRUNCATE ? "truncated"
                                     : "failed",
         count, class == MPI_SUCCESS ? status->MPI_TAG : 0, class == MPI_SUCCESS ? hash(at, bytes) : 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  static const long sizes[] = {0,        24,         4800,      31 << 10, 32760,   32 << 10, 50001 * 24,
                               96 << 10, 200 * 1000, 768 << 10, 3 << 20,  4 << 20, 5 << 20};
  unsigned char *out = malloc(MOST), *in = malloc(MOST), *wide = malloc(2 * MOST);
  MPI_Datatype types[4] = {MPI_BYTE, MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL}, spread;
  MPI_Type_contiguous(3, MPI_DOUBLE, &types[3]);
  MPI_Type_commit(&types[3]);
  const int size_of[4] = {1, 4, 8, 24};
  MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &spread);
  MPI_Type_commit(&spread);
  for (int round = 0; round < 80; ++round) {
    const long bytes = sizes[next(sizeof sizes / sizeof *sizes)] / 24 * 24;
    const int which = (int)next(4), how = (int)next(10), way = (int)next(7), from = (int)next(2), tag = (int)next(3);
    const MPI_Datatype type = types[which];
    const int count = (int)(bytes / size_of[which]);
    MPI_Status status;
    MPI_Request requests[4];
    fill(out, bytes, (unsigned)(2 * round + rank));
    memset(in, 0x55, (size_t)bytes + 64);
    if (how == 7) {
      const int result = MPI_Sendrecv(out, count, type, 1 - rank, tag, in, count, type, 1 - rank, tag, MPI_COMM_WORLD, &status);
      tell(round, "sendrecv", result, &status, type, in, bytes + 64);
    } else if (how == 8) {
      memcpy(in, out, (size_t)bytes);
      const int result = MPI_Sendrecv_replace(in, count, type, 1 - rank, tag, 1 - rank, tag, MPI_COMM_WORLD, &status);
      tell(round, "replace", result, &status, type, in, bytes + 64);
    } else if (how == 9) { /* both ways, two messages each at once */
      MPI_Status all[4];
      const int half = count / 2;
      MPI_Irecv(in, half, type, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(in + (long)half * size_of[which], count - half, type, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(out, half, type, 1 - rank, tag, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(out + (long)half * size_of[which], count - half, type, 1 - rank, tag, MPI_COMM_WORLD, &requests[3]);
      const int result = MPI_Waitall(4, requests, all);
      tell(round, "waitall", result, &all[1], type, in, bytes + 64);
    } else if (rank == from) {
      switch (how) {
        case 0:
        case 1:
          MPI_Send(out, count, type, 1 - rank, tag, MPI_COMM_WORLD);
          break;
        case 2:
          MPI_Ssend(out, count, type, 1 - rank, tag, MPI_COMM_WORLD);
          break;
        case 3: {
          const int room = (int)bytes + MPI_BSEND_OVERHEAD + 256;
          void* buffer = malloc((size_t)room);
          int old;
          MPI_Buffer_attach(buffer, room);
          MPI_Bsend(out, count, type, 1 - rank, tag, MPI_COMM_WORLD);
          MPI_Buffer_detach(&buffer, &old);
          free(buffer);
          break;
        }
        case 4:
          MPI_Isend(out, count, type, 1 - rank, tag, MPI_COMM_WORLD, requests);
          MPI_Wait(requests, MPI_STATUS_IGNORE);
          break;
        case 5:
          MPI_Issend(out, count, type, 1 - rank, tag, MPI_COMM_WORLD, requests);
          MPI_Wait(requests, MPI_STATUS_IGNORE);
          break;
        default:
          MPI_Send_init(out, count, type, 1 - rank, tag, MPI_COMM_WORLD, requests);
          MPI_Start(requests);
          MPI_Wait(requests, MPI_STATUS_IGNORE);
          MPI_Request_free(requests);
      }
    } else {
      int result = MPI_SUCCESS;
      MPI_Message message;
      switch (way) {
        case 0:
          result = MPI_Recv(in, count, type, from, tag, MPI_COMM_WORLD, &status);
          break;
        case 1:
          result = MPI_Recv(in, (int)(MOST / size_of[which]), type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
          break;
        case 2:
          MPI_Irecv(in, count, type, from, tag, MPI_COMM_WORLD, requests);
          result = MPI_Wait(requests, &status);
          break;
        case 3:
          MPI_Probe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
          MPI_Get_count(&status, MPI_BYTE, &result);
          printf("%d: %d probed %d\n", rank, round, result);
          result = MPI_Recv(in, result, MPI_BYTE, from, status.MPI_TAG, MPI_COMM_WORLD, &status);
          tell(round, "probed", result, &status, MPI_BYTE, in, bytes + 64);
          continue;
        case 4:
          MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
          result = MPI_Mrecv(in, count, type, &message, &status);
          break;
        case 5: /* into another type: doubles with holes between */
          memset(wide, 0x66, 2 * (size_t)bytes + 64);
          result = MPI_Recv(wide, (int)(bytes / 8), spread, from, tag, MPI_COMM_WORLD, &status);
          tell(round, "spread", result, &status, spread, wide, 2 * bytes + 64);
          continue;
        default: /* into a receive that is too short */
          result = MPI_Recv(in, count / 2, type, from, tag, MPI_COMM_WORLD, &status);
          tell(round, "short", result, &status, type, in, 0);
          continue;
      }
      tell(round, "received", result, &status, type, in, bytes + 64);
    }
  }
  fflush(stdout);
  MPI_Type_free(&types[3]);
  MPI_Type_free(&spread);
  MPI_Finalize();
  return 0;
}
