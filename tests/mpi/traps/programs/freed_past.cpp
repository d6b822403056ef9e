// freed_past: a program frees groups by the host's own name, so Heddle does not notice. Then it
// gets a handle that Heddle has described for a group with other members: as many of them, and the
// same first, middle and last. Communicators made of this group must nevertheless have the members
// that the host says. 5 ranks and more.
#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <cstdio>

/// This program's PMPI_ names mean the host (src/interposition).
extern "C" {
__attribute__((visibility("default"))) extern const int heddle_pmpi_is_host;
const int heddle_pmpi_is_host = 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  constexpr int members = 5;
  const std::array<int, members> before = {0, 1, 2, 3, 4};
  const std::array<int, members> after = {0, 3, 2, 1, 4};
  const auto seen = reinterpret_cast<int (*)(MPI_Comm, int)>(dlsym(RTLD_DEFAULT, "heddle_seen_world_rank"));
  const auto known = reinterpret_cast<const char* (*)(MPI_Comm, int*, int*)>(dlsym(RTLD_DEFAULT, "heddle_seen_format"));
  int wrong = seen && known ? 0 : 1;
  int reused = 0;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int turn = 0; turn < 20 && wrong == 0; ++turn) {
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Group_incl(world, members, before.data(), &some);
    const MPI_Group was = some;
    PMPI_Group_free(&some);
    PMPI_Group_incl(world, members, after.data(), &some);
    reused += was == some;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    if (made != MPI_COMM_NULL) {
      int composed = 0;
      int bytes = 0;
      known(made, &composed, &bytes);
      wrong += composed;
      for (int rank = 0; rank < members; ++rank) wrong += seen(made, rank) != after[static_cast<std::size_t>(rank)];
      MPI_Comm_free(&made);
    }
    PMPI_Group_free(&some);
  }
  MPI_Group_free(&world);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("freed_past: %d handles came back, %d wrong\n", reused, wrong);
  MPI_Finalize();
  return wrong == 0 && reused > 0 ? 0 : 1;
}
