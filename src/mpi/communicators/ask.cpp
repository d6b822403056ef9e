// mpi/communicators/ask.cpp: MPI_Group_translate_ranks, piece by piece.
//
// Open MPI 5.0.11 looks for each rank in all of the other group, from its front: a communicator of half of 100,000 ranks would
// take it 10^9 comparisons. So it is asked whether the next ranks go on as the last two began, in a group of these few: what is
// guessed right costs the same however large the world is, what is not is looked for in the world. The answers are the host's
// in any case.
#include "mpi/communicators/ask.hpp"

#include <numeric>

#include "group/ask.hpp"

namespace heddle::mpi::communicators {
namespace {

#if defined(OPEN_MPI)
constexpr bool looks_from_the_front = true;
#else
constexpr bool looks_from_the_front = false;
#endif

/// What members of the host's group are called in the world.
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

/// The `size` members of a group of the host's, as asked() says.
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
  // Not MPI_Group_size: where MPI_Cart_create has left ranks out, MPICH 5.0.2's group has them nevertheless.
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
