// mpi/calls/group.cpp: calls that make groups. Heddle describes the groups, and so knows the group
// of a communicator made of one (communicators/groups.hpp). All these calls are local, and the host
// carries them out. MPICH may return MPI_SUCCESS for a failed call, too, once a handler of the
// program has heard of the error. So a pointer that the program left null may come back with
// success.
#include "group/operations.hpp"

#include "entry_points.hpp"
#include "mpi/communicators/groups.hpp"
#include "mpi/communicators/host_group.hpp"

namespace groups = heddle::group;

namespace heddle::mpi::communicators {
namespace {

std::span<const groups::Rank> ranks_of(int n, const int* ranks) { return {ranks, static_cast<std::size_t>(n)}; }

std::vector<groups::Range> ranks_of(int n, const int (*triplets)[3]) { return groups::ranges_of(n, triplets); }

/// Makes a group from ranks, or ranges of ranks, of another group.
template <auto compose>
int of_one(auto host, MPI_Group group, int n, auto* which, MPI_Group* newgroup) {
  const int result = host(group, n, which, newgroup);
  if (result == MPI_SUCCESS && newgroup)
    derived(
        *newgroup, [=](const groups::Group& of) { return compose(of, ranks_of(n, which)); }, group);
  return result;
}

template <auto compose>
int of_two(const Made& call, auto host) {
  const int result = host();
  if (result == MPI_SUCCESS && call.made_group) derived(*call.made_group, compose, call.group, call.other);
  return result;
}

/// Makes a group that only the host knows.
int strange(const Made& call, auto host) {
  const int result = host();
  if (result == MPI_SUCCESS && call.made_group && opened()) forget(*call.made_group);
  return result;
}

/// Heddle keeps the remote group of an inter-communicator, and only that.
template <bool remote>
int of_communicator(const Made& call, auto host) {
  const int result = host();
  if (result != MPI_SUCCESS || !call.made_group || !opened()) return result;
  const Peers peers(call.comm);
  if (const auto found = peers.known && peers.inter == remote ? known(call.comm) : std::nullopt)
    describe(*call.made_group, *found);
  else
    forget(*call.made_group);
  return result;
}

/// Forgets the group before the host frees it. Afterwards, the handle may be a new group of another
/// thread.
int dropped(auto host, MPI_Group* group) {
  if (group && opened()) forget(*group);
  return host(group);
}

}  // namespace
}  // namespace heddle::mpi::communicators

namespace communicators = heddle::mpi::communicators;

extern "C" {
HEDDLE_MADE_Comm_group(communicators::of_communicator<false>);
HEDDLE_MADE_Comm_remote_group(communicators::of_communicator<true>);
HEDDLE_ENTRY_Group_incl(communicators::of_one<groups::incl>);
HEDDLE_ENTRY_Group_excl(communicators::of_one<groups::excl>);
HEDDLE_ENTRY_Group_range_incl(communicators::of_one<groups::range_incl>);
HEDDLE_ENTRY_Group_range_excl(communicators::of_one<groups::range_excl>);
HEDDLE_MADE_Group_union(communicators::of_two<groups::union_of>);
HEDDLE_MADE_Group_intersection(communicators::of_two<groups::intersection>);
HEDDLE_MADE_Group_difference(communicators::of_two<groups::difference>);
HEDDLE_MADE_Group_from_session_pset(communicators::strange);
HEDDLE_MADE_Win_get_group(communicators::strange);
HEDDLE_MADE_File_get_group(communicators::strange);
HEDDLE_ENTRY_Group_free(communicators::dropped);
}
