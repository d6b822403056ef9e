// faults CASE: a job goes on although a part of it has failed. Then it prints "as without Heddle"
// on rank 0.
//   abandoned   odd ranks abort a communicator of their own; the others end by MPI_Finalize alone
//   revoked     a communicator is revoked by all ranks (MPIX_Comm_revoke): its collectives fail
//   tolerated   the same by one rank only, in a job that tolerates faults
//   killed      a rank dies in the middle of collectives, in a job that tolerates faults
// A second argument: another thread is in MPI all the time.
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int rank = 0, ranks = 0;

/// Collectives with 20,000 ints with holes from each rank to each rank, and with very different
/// volumes. They return error classes.
struct Collectives {
  Collectives() : out(static_cast<std::size_t>(ranks) * 40000), in(static_cast<std::size_t>(ranks) * 100000) {
    MPI_Type_vector(20000, 1, 2, MPI_INT, &holes);
    MPI_Type_commit(&holes);
  }
  int alltoallw(MPI_Comm comm) {
    const auto n = static_cast<std::size_t>(ranks);
    std::vector<int> counts(n, 1), places(n);
    const std::vector<MPI_Datatype> types(n, holes);
    for (int i = 0; i < ranks; ++i) places[static_cast<std::size_t>(i)] = i * 160000;
    return class_of(MPI_Alltoallw(out.data(), counts.data(), places.data(), types.data(), in.data(), counts.data(),
                                  places.data(), types.data(), comm));
  }
  int allgatherv(MPI_Comm comm) {
    std::vector<int> counts(static_cast<std::size_t>(ranks), 1), places(static_cast<std::size_t>(ranks));
    counts[0] = 30000;
    for (int i = 1; i < ranks; ++i) places[static_cast<std::size_t>(i)] = 30000 + i;
    return class_of(MPI_Allgatherv(out.data(), counts[static_cast<std::size_t>(rank)], MPI_INT, in.data(), counts.data(),
                                   places.data(), MPI_INT, comm));
  }
  static int class_of(int error) {
    int kind = MPI_SUCCESS;
    MPI_Error_class(error, &kind);
    return kind;
  }

  MPI_Datatype holes = MPI_DATATYPE_NULL;
  std::vector<int> out, in;
};

bool abandoned() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  Collectives on;
  on.alltoallw(MPI_COMM_WORLD);
  MPI_Barrier(half);
  if (rank == 1) MPI_Abort(half, 8);
  if (rank % 2)
    for (;;) MPI_Barrier(half);  // until the abort reaches this rank
  MPI_Comm_free(&half);
  return true;
}

#if defined(OPEN_MPI)
bool revoked(bool by_all) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  Collectives on;
  bool right = on.alltoallw(comm) == MPI_SUCCESS && on.allgatherv(comm) == MPI_SUCCESS;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 || by_all) MPIX_Comm_revoke(comm);
  for (int is = 0; !is; usleep(1000)) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);  // progress
    MPIX_Comm_is_revoked(comm, &is);
  }
  right = right && on.alltoallw(comm) == MPIX_ERR_REVOKED && on.allgatherv(comm) == MPIX_ERR_REVOKED;
  MPI_Comm rest = MPI_COMM_NULL;
  if (!by_all) right = right && MPIX_Comm_shrink(comm, &rest) == MPI_SUCCESS && on.alltoallw(rest) == MPI_SUCCESS;
  int all = right;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

/// The last rank dies while the others wait for it in MPI_Allgatherv. The process ends here: in
/// such a job, Open MPI 5.0.11 without Heddle hangs now and then in MPI_Finalize.
[[noreturn]] void killed() {
  MPI_Comm comm = MPI_COMM_NULL, rest = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  Collectives on;
  bool right = on.alltoallw(comm) == MPI_SUCCESS && on.allgatherv(comm) == MPI_SUCCESS;
  if (rank == ranks - 1) {
    usleep(100000);
    raise(SIGKILL);
  }
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS) error = on.allgatherv(comm);
  right = right && (error == MPIX_ERR_PROC_FAILED || error == MPIX_ERR_REVOKED);
  MPIX_Comm_revoke(comm);
  right = right && on.alltoallw(comm) == MPIX_ERR_REVOKED && MPIX_Comm_shrink(comm, &rest) == MPI_SUCCESS;
  int size = 0;
  if (right) MPI_Comm_size(rest, &size);
  right = right && size == ranks - 1 && on.alltoallw(rest) == MPI_SUCCESS && on.allgatherv(rest) == MPI_SUCCESS;
  int all = right;
  right = right && MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, rest) == MPI_SUCCESS && all != 0;
  if (rank == 0) std::puts(right ? "as without Heddle" : "wrong");
  std::fflush(stdout);
  _exit(right ? 0 : 1);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  alarm(200);
  int level = 0;
  const bool several = argc > 2;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool right = false;
  std::atomic<bool> over{false};
  std::thread other;
  if (several && level != MPI_THREAD_MULTIPLE) return std::puts("no threads"), MPI_Finalize(), 77;
  if (several)
    other = std::thread([&over] {
      for (int found = 0; !over; usleep(50)) MPI_Iprobe(0, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    });
  if (what == "abandoned") right = abandoned();
#if defined(OPEN_MPI)
  if (what == "revoked" || what == "tolerated") right = revoked(what == "revoked");
  if (what == "killed") killed();
#endif
  over = true;
  if (other.joinable()) other.join();
  MPI_Finalize();
  if (rank == 0) std::puts(right ? "as without Heddle" : "wrong");
  return right ? 0 : 1;
}
