#include "support/known_group.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/pmpi_spy.hpp"

namespace heddle::test {
namespace {

using WorldRank = int (*)(MPI_Comm comm, int rank);
using Format = const char* (*)(MPI_Comm comm, int* known, int* bytes);

template <class Procedure>
Procedure found(const char* name) {
  return expected() == Expected::on ? reinterpret_cast<Procedure>(dlsym(RTLD_DEFAULT, name)) : nullptr;
}

}  // namespace

std::vector<int> ranks_of_host(MPI_Comm comm) {
  int inter = 0, size = 0;
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_Comm_test_inter(comm, &inter);
  (inter ? MPI_Comm_remote_group : MPI_Comm_group)(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  // Not MPI_Group_size: in MPICH 5.0.2 the group of a Cartesian communicator also has the ranks
  // that were left out.
  (inter ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  for (int& rank : in_world)
    if (rank == MPI_UNDEFINED) rank = -1;
  return in_world;
}

void expect_known(MPI_Comm comm, const std::string& what, Known wanted) {
  static const auto world_rank = found<WorldRank>("heddle_seen_world_rank");
  static const auto format = found<Format>("heddle_seen_format");
  if (expected() != Expected::on || comm == MPI_COMM_NULL) return;
  ASSERT_TRUE(world_rank && format) << "the interposer does not tell";
  int known = -1, bytes = -1;
  EXPECT_NE(format(comm, &known, &bytes), nullptr) << what;
  if (wanted != Known::either) {
    EXPECT_EQ(known, wanted == Known::composed) << what;
  }
  const std::vector<int> wanted_ranks = ranks_of_host(comm);
  const int size = static_cast<int>(wanted_ranks.size());
  std::vector<int> kept;
  for (int rank = 0; rank < size; ++rank) kept.push_back(world_rank(comm, rank));
  EXPECT_EQ(kept, wanted_ranks) << what << ", kept as " << format(comm, &known, &bytes);
  for (const int rank : std::initializer_list<int>{-1, size, MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT})
    EXPECT_EQ(world_rank(comm, rank), -1) << what;
}

std::string format_of(MPI_Comm comm) {
  static const auto format = found<Format>("heddle_seen_format");
  int known = 0, bytes = 0;
  const char* const name = format ? format(comm, &known, &bytes) : nullptr;
  return name ? name : "";
}

}  // namespace heddle::test
