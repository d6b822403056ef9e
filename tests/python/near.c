/* near: 16 ranks exchange with three ranks on each side in many calls of MPI_Alltoallv. Then they
 * also exchange with a rank far away. Before that, rank 0 prints Heddle's choice. Fails if data are
 * wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ranks = 16, reach = 3, most = 9, calls = 200, far_from = 100 };

static int count(int from, int to, int call) {
  const int ahead = (to - from + ranks) % ranks;
  if (ahead != 0 && (ahead <= reach || ranks - ahead <= reach)) return 1 + (from + to + call) % most;
  return call >= far_from && ahead == ranks / 2 + from % 3 ? 5 : 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, size, wrong = 0;
  MPI_Comm comm;
  MPI_Info info;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Info_create(&info);
  MPI_Info_set(info, "heddle_alltoallv", "auto");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  for (int call = 0; call < calls; ++call) {
    int out[ranks * most], in[ranks * most], to[ranks], from[ranks], at[ranks];
    for (int i = 0; i < ranks; ++i) {
      to[i] = count(me, i, call), from[i] = count(i, me, call), at[i] = i * most;
      for (int k = 0; k < most; ++k) out[at[i] + k] = call * 10000 + me * 100 + i + k, in[at[i] + k] = -1;
    }
    MPI_Alltoallv(out, to, at, MPI_INT, in, from, at, MPI_INT, comm);
    for (int i = 0; i < ranks; ++i)
      for (int k = 0; k < most; ++k) wrong += in[at[i] + k] != (k < from[i] ? call * 10000 + i * 100 + me + k : -1);
    if (call == far_from - 1 && me == 0) {
      char chosen[64] = "";
      int flag;
      MPI_Comm_get_info(comm, &info);
      MPI_Info_get(info, "heddle_alltoallv_chosen", 63, chosen, &flag);
      MPI_Info_free(&info);
      printf("%s\n", chosen);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return wrong != 0;
}
