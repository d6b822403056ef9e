// mpi/communicators/ask.cpp: MPI_Group_translate_ranks, piece by piece.
#include "mpi/communicators/ask.hpp"

#include <algorithm>
#include <numeric>

#include "group/encoder.hpp"

namespace heddle::mpi::communicators {
namespace {

/// Freed at the end of the scope.
class Handle {
 public:
  ~Handle() {
    if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  }
  MPI_Group group = MPI_GROUP_NULL;
};

}  // namespace

std::optional<group::Group> asked(MPI_Comm comm) {
  int inter = 0;
  int size = 0;  // not MPI_Group_size: where MPI_Cart_create has left ranks out, MPICH 5.0.2's group has them nevertheless
  Handle theirs;
  Handle world;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &theirs.group) != MPI_SUCCESS ||
      PMPI_Comm_group(MPI_COMM_WORLD, &world.group) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size) != MPI_SUCCESS)
    return {};
  constexpr int piece = 256;
  int ranks[piece];
  int in_world[piece];
  group::Encoder encoder;
  for (int first = 0; first < size; first += piece) {
    const int count = std::min(piece, size - first);
    std::iota(ranks, ranks + count, first);
    if (PMPI_Group_translate_ranks(theirs.group, count, ranks, world.group, in_world) != MPI_SUCCESS) return {};
    for (int i = 0; i < count; ++i) {
      if (in_world[i] < 0) return group::Group();
      encoder.add(in_world[i]);
    }
  }
  return encoder.finish();
}

bool agrees(MPI_Comm comm, const group::Group& group, int me) noexcept {
  int inter = 0;
  int size = 0;
  int rank = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size) != MPI_SUCCESS || size != group.size())
    return false;
  return inter || (PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && group.world_rank(rank) == me);
}

}  // namespace heddle::mpi::communicators
