// mpi/communicators/host_group.cpp: MPI_Group_translate_ranks, piece by piece.
//
// Open MPI 5.0.11 searches the other group from its front for each rank. A communicator of half of
// 100,000 ranks would take 10^9 comparisons. So Heddle guesses that the next ranks go on with the
// step of the last two, and has the host translate them into a group of just these ranks. A right
// guess costs the same in a world of any size. Other ranks are searched in the world. All answers
// come from the host.
#include "mpi/communicators/host_group.hpp"

#include <numeric>

#include "group/group_source.hpp"

namespace heddle::mpi::communicators {
namespace {

#if defined(OPEN_MPI)
constexpr bool looks_from_the_front = true;
#else
constexpr bool looks_from_the_front = false;
#endif

/// Translates members of a group of the host to ranks of MPI_COMM_WORLD.
class Translation final : public group::Source {
 public:
  Translation(MPI_Group theirs, MPI_Group world) noexcept : theirs_(theirs), world_(world) {}

  bool world_ranks(group::Rank first, int count, group::Rank* answers) override {
    return translate(first, count, world_, answers);
  }
  int go_on(group::Rank first, int count, group::Rank from, group::Rank step) override {
    Handle few;
    int range[1][3] = {{from, from + (count - 1) * step, step}};
    int places[group::most_asked];
    if (PMPI_Group_range_incl(world_, 1, range, &few.group) != MPI_SUCCESS || !translate(first, count, few.group, places))
      return 0;
    int right = 0;
    while (right < count && places[right] == right) ++right;
    return right;
  }

 private:
  bool translate(int first, int count, MPI_Group into, int* answers) noexcept {
    int ranks[group::most_asked];
    std::iota(ranks, ranks + count, first);
    return PMPI_Group_translate_ranks(theirs_, count, ranks, into, answers) == MPI_SUCCESS;
  }

  MPI_Group theirs_, world_;
};

/// The `size` members of a group of the host, in the form that asked() returns.
std::optional<group::Group> in_world(MPI_Group theirs, int size) {
  Handle world;
  int ranks = 0;
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world.group) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS)
    return {};
  Translation translation(theirs, world.group);
  return group::ask(translation, size, ranks, looks_from_the_front);
}

}  // namespace

std::optional<group::Group> asked(MPI_Comm comm) {
  const Peers peers(comm);
  Handle theirs;
  if (!peers.known || (peers.inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &theirs.group) != MPI_SUCCESS) return {};
  // The size is not that of MPI_Group_size: if MPI_Cart_create has left ranks out, MPICH 5.0.2's
  // group still has them.
  return in_world(theirs.group, peers.ranks);
}

bool strangers_here(MPI_Comm comm) {
  int size = 0;
  Handle ours;
  if (!Peers(comm).inter || PMPI_Comm_group(comm, &ours.group) != MPI_SUCCESS || PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
    return false;
  const std::optional<group::Group> group = in_world(ours.group, size);
  return group && group->empty();
}

bool agrees(MPI_Comm comm, const group::Group& group, int me) noexcept {
  const Peers peers(comm);
  int rank = 0;
  if (!peers.known || peers.ranks != group.size()) return false;
  return peers.inter || (PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && group.world_rank(rank) == me);
}

}  // namespace heddle::mpi::communicators
