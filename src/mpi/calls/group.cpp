// mpi/calls/group.cpp: groups that the program makes, so that a communicator made of one is composed
// (communicators/groups.hpp). All of these calls are local, and carried out by the host.
#include "group/operations.hpp"
#include "mpi/communicators/groups.hpp"

namespace communicators = heddle::mpi::communicators;
namespace groups = heddle::group;

namespace {

std::span<const groups::Rank> ranks_of(int n, const int* ranks) { return {ranks, static_cast<std::size_t>(n)}; }

std::vector<groups::Range> ranges_of(int n, const int (*triplets)[3]) {
  std::vector<groups::Range> ranges;
  ranges.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) ranges.push_back({.first = triplets[i][0], .last = triplets[i][1], .stride = triplets[i][2]});
  return ranges;
}

/// A group that the host has just made, and that `compose` makes of the same groups.
template <class Compose, class... Groups>
int composed(int result, const MPI_Group* made, Compose compose, Groups... of) noexcept {
  if (result == MPI_SUCCESS) communicators::derived(*made, compose, of...);
  return result;
}

/// A group that the host has just made of what only it knows.
int strange(int result, const MPI_Group* made) noexcept {
  if (result == MPI_SUCCESS && communicators::opened()) communicators::forget(*made);
  return result;
}

/// Of an inter-communicator the remote group is kept, and only that.
int of_communicator(int result, MPI_Comm comm, const MPI_Group* made, bool remote) noexcept {
  int inter = 0;
  if (result != MPI_SUCCESS || !communicators::opened()) return result;
  const bool kept = PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && (inter != 0) == remote;
  if (const auto found = kept ? communicators::known(comm) : std::nullopt)
    communicators::describe(*made, *found);
  else
    communicators::forget(*made);
  return result;
}

}  // namespace

extern "C" {

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return of_communicator(PMPI_Comm_group(comm, group), comm, group, false);
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  return of_communicator(PMPI_Comm_remote_group(comm, group), comm, group, true);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return composed(
      PMPI_Group_incl(group, n, ranks, newgroup), newgroup,
      [=](const groups::Group& of) { return groups::incl(of, ranks_of(n, ranks)); }, group);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return composed(
      PMPI_Group_excl(group, n, ranks, newgroup), newgroup,
      [=](const groups::Group& of) { return groups::excl(of, ranks_of(n, ranks)); }, group);
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return composed(
      PMPI_Group_range_incl(group, n, ranges, newgroup), newgroup,
      [=](const groups::Group& of) { return groups::range_incl(of, ranges_of(n, ranges)); }, group);
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return composed(
      PMPI_Group_range_excl(group, n, ranges, newgroup), newgroup,
      [=](const groups::Group& of) { return groups::range_excl(of, ranges_of(n, ranges)); }, group);
}

int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return composed(PMPI_Group_union(group1, group2, newgroup), newgroup, groups::union_of, group1, group2);
}

int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return composed(PMPI_Group_intersection(group1, group2, newgroup), newgroup, groups::intersection, group1, group2);
}

int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return composed(PMPI_Group_difference(group1, group2, newgroup), newgroup, groups::difference, group1, group2);
}

int MPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  return strange(PMPI_Group_from_session_pset(session, pset_name, newgroup), newgroup);
}

int MPI_Win_get_group(MPI_Win win, MPI_Group* group) { return strange(PMPI_Win_get_group(win, group), group); }

int MPI_File_get_group(MPI_File fh, MPI_Group* group) { return strange(PMPI_File_get_group(fh, group), group); }

/// Before the host: freed, the handle may be another thread's next group.
int MPI_Group_free(MPI_Group* group) {
  if (group && communicators::opened()) communicators::forget(*group);
  return PMPI_Group_free(group);
}

}  // extern "C"
