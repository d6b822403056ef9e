/* Collectives with blocks of different lengths: blocking, non-blocking, and persistent (started
 * twice). 3 ranks in a line. */
#include <mpi.h>

enum { ranks = 3, room = 4096 };

static int sent[room], got[room];

#define WAIT() MPI_Wait(&request, MPI_STATUS_IGNORE)
#define ALL_FORMS(X, IX, ...)                             \
  do {                                                    \
    MPI_##X(__VA_ARGS__);                                 \
    MPI_##IX(__VA_ARGS__, &request);                      \
    WAIT();                                               \
    MPI_##X##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
    MPI_Start(&request);                                  \
    WAIT();                                               \
    MPI_Startall(1, &request);                            \
    WAIT();                                               \
    MPI_Request_free(&request);                           \
  } while (0)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm line, all = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Datatype out_types[ranks], in_types[ranks];
  int me, size = ranks, plain = 0, out[ranks], in[ranks], own[ranks], at[ranks], byte_at[ranks];
  MPI_Aint far_at[ranks];
  MPI_Comm_rank(all, &me);
  MPI_Cart_create(all, 1, &size, &plain, 0, &line);
  for (int i = 0; i < ranks; ++i) { /* a block from r to i has 1 + 3 r + i elements */
    out[i] = 1 + 3 * me + i;
    in[i] = 1 + 3 * i + me;
    own[i] = 10 * (i + 1); /* elements that rank i gives to all */
    at[i] = 100 * i;
    byte_at[i] = 400 * i;
    far_at[i] = 400 * i;
    out_types[i] = in_types[i] = (me + i) % 2 ? MPI_SHORT : MPI_INT;
  }
  ALL_FORMS(Alltoallv, Ialltoallv, sent, out, at, MPI_INT, got, in, at, MPI_INT, all);
  ALL_FORMS(Alltoallw, Ialltoallw, sent, out, byte_at, out_types, got, in, byte_at, in_types, all);
  ALL_FORMS(Allgatherv, Iallgatherv, sent, own[me], MPI_INT, got, own, at, MPI_INT, all);
  ALL_FORMS(Gatherv, Igatherv, sent, own[me], MPI_INT, got, own, at, MPI_INT, 1, all);
  ALL_FORMS(Scatterv, Iscatterv, sent, own, at, MPI_INT, got, own[me], MPI_INT, 2, all);
  ALL_FORMS(Alltoall, Ialltoall, sent, 7, MPI_INT, got, 7, MPI_INT, all);
  ALL_FORMS(Allgather, Iallgather, MPI_IN_PLACE, 3, MPI_INT, got, 8, MPI_INT, all);
  ALL_FORMS(Gather, Igather, sent, 9, MPI_INT, got, 9, MPI_INT, 0, all);
  ALL_FORMS(Scatter, Iscatter, sent, 6, MPI_INT, got, 6, MPI_INT, 0, all);
  ALL_FORMS(Bcast, Ibcast, sent, 11, MPI_INT, 1, all);

  /* Along the line: blocks to the rank before and to the rank behind, if they exist. */
  int to[2] = {20 + me, 30 + me}, from[2] = {30 + me - 1, 20 + me + 1}, place[2] = {0, 100};
  int block[2] = {me > 0 ? own[me - 1] : 5, me < 2 ? own[me + 1] : 5};
  MPI_Datatype shorts[2] = {MPI_SHORT, MPI_SHORT};
  ALL_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, sent, to, place, MPI_INT, got, from, place, MPI_INT, line);
  ALL_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, sent, to, far_at, shorts, got, from, far_at, shorts, line);
  ALL_FORMS(Neighbor_alltoall, Ineighbor_alltoall, sent, 12, MPI_INT, got, 12, MPI_INT, line);
  ALL_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, sent, own[me], MPI_INT, got, block, place, MPI_INT, line);
  ALL_FORMS(Neighbor_allgather, Ineighbor_allgather, sent, 13, MPI_INT, got, 13, MPI_INT, line);

  if (argc > 1) { /* in place: the sent data lie in the receive buffer, and no rank sends to itself */
    int both[ranks];
    for (int i = 0; i < ranks; ++i) both[i] = 40 + me + i;
    MPI_Alltoallv(MPI_IN_PLACE, 0, 0, MPI_DATATYPE_NULL, got, both, at, MPI_INT, all);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, own, at, MPI_INT, all);
    MPI_Gatherv(me == 1 ? MPI_IN_PLACE : sent, own[me], MPI_INT, got, own, at, MPI_INT, 1, all);
    MPI_Scatterv(sent, own, at, MPI_INT, me == 2 ? MPI_IN_PLACE : got, own[me], MPI_INT, 2, all);
#if MPI_VERSION >= 4
    MPI_Count many[ranks], wide[ranks];
    MPI_Aint wide_at[ranks];
    for (int i = 0; i < ranks; ++i) many[i] = own[i], wide[i] = out[i], wide_at[i] = at[i];
    MPI_Allgatherv_c(sent, own[me], MPI_INT, got, many, wide_at, MPI_INT, all);
    MPI_Scatterv_c(sent, many, wide_at, MPI_INT, got, own[me], MPI_INT, 2, all);
    MPI_Count come[ranks];
    for (int i = 0; i < ranks; ++i) come[i] = in[i], wide_at[i] = byte_at[i];
    MPI_Alltoallw_c(sent, wide, wide_at, out_types, got, come, wide_at, in_types, all);
#endif
  }
  MPI_Comm_free(&line);
  MPI_Finalize();
  return 0;
}
