// Communicators made of groups (MPI_Group). Heddle composes them from the calls that made the
// groups, and never from the former meaning of a handle.
#include <dlfcn.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "support/made.hpp"
#include "support/ranks.hpp"

namespace heddle::test::group_handles_tests {
namespace {

using Handle = Owned<Members>;

Handle group_of(MPI_Comm comm) {
  return Handle([=](MPI_Group* made) { return MPI_Comm_group(comm, made); });
}

int members_of(MPI_Group group) {
  int size = 0;
  MPI_Group_size(group, &size);
  return size;
}

unsigned draw(std::minstd_rand& random, std::size_t choices) { return static_cast<unsigned>(random() % choices); }

/// One of the standard's seven operations on groups, on `group` and, if it takes two, `other`.
Handle derived(MPI_Group group, MPI_Group other, unsigned what, std::minstd_rand& random) {
  const int size = members_of(group);
  std::vector<int> some(static_cast<std::size_t>(size));
  std::iota(some.begin(), some.end(), 0);
  if (what < 2) {  // any members, in any order
    std::shuffle(some.begin(), some.end(), random);
    some.resize(static_cast<std::size_t>(size - size / 3));
  }
  const int n = static_cast<int>(some.size()), from = size > 2 ? static_cast<int>(draw(random, 2)) : 0;
  const int steps = size > 0 ? (size - 1 - from) / 2 : 0;
  int range[2][3] = {{from, from + 2 * steps, 2}, {from + 2 * steps, from, -2}};
  int(*const one)[3] = range + draw(random, 2);
  const int ranges = size > 0 ? 1 : 0;
  return Handle([&](MPI_Group* made) {
    switch (what) {
      case 0:
        return MPI_Group_incl(group, n, some.data(), made);
      case 1:
        return MPI_Group_excl(group, size / 4, some.data(), made);
      case 2:
        return MPI_Group_range_incl(group, ranges, one, made);
      case 3:
        return MPI_Group_range_excl(group, size > 4 ? 1 : 0, one, made);
      case 4:
        return MPI_Group_union(group, other, made);
      case 5:
        return MPI_Group_intersection(group, other, made);
      default:
        return MPI_Group_difference(group, other, made);
    }
  });
}

/// A communicator of the group's members.
Made of_group(MPI_Comm comm, MPI_Group group, bool by_group) {
  int rank = MPI_UNDEFINED;
  MPI_Group_rank(group, &rank);
  return Made([&](MPI_Comm* found) {
    *found = MPI_COMM_NULL;
    if (!by_group) return MPI_Comm_create(comm, group, found);
    return rank != MPI_UNDEFINED ? MPI_Comm_create_group(comm, group, 4, found) : MPI_SUCCESS;
  });
}

}  // namespace

/// Whatever a group was derived from, a communicator made of it is composed. Heddle does not ask
/// the host.
TEST_EACH_RANKS(1, 17, GroupHandles, OfGroups) {
  std::minstd_rand random(run_seed() + static_cast<std::uint32_t>(team.size));  // the same on all ranks
  expect_known(team.comm, "the team");
  for (int chain = 0; chain < rounds(10); ++chain) {
    std::vector<Handle> groups;
    groups.push_back(group_of(team.comm));
    std::string name = "group";
    for (int depth = 0; depth < 6; ++depth) {
      const unsigned what = draw(random, 7), one = draw(random, groups.size()), other = draw(random, groups.size());
      Handle next = derived(groups[one], groups[other], what, random);
      name += " " + std::to_string(what) + "(" + std::to_string(one) + "," + std::to_string(other) + ")";
      if (draw(random, 3) == 0)
        groups[one] = std::move(next);  // freed, so a later group may get its handle
      else
        groups.push_back(std::move(next));
    }
    const bool by_group = draw(random, 2) != 0;
    expect_right(of_group(team.comm, groups.back(), by_group), name, Known::composed);
  }
}

/// If Heddle does not know a communicator, it does not know the descendants of its group either.
TEST_EACH_RANKS(2, 5, GroupHandles, OfGroupsOfTheUnknown) {
  std::minstd_rand random(run_seed());
  const Made unknown = split(team.comm, 0, -team.rank);
  const Handle all = group_of(unknown);
  expect_right(of_group(unknown, derived(all, all, 2, random), false), "of an unknown parent", Known::asked);
  expect_right(of_group(team.comm, all, true), "the parent's group itself", Known::asked);
}

/// The two groups of an inter-communicator, and a communicator made of one of them.
TEST_EACH_RANKS(2, 9, GroupHandles, OfBothSides) {
  const Made across = bridge(team.comm);
  expect_known(team.comm, "the team");
  expect_known(across, "MPI_Intercomm_create");
  const Handle all = group_of(team.comm), near = group_of(across);
  const Handle far([&](MPI_Group* made) { return MPI_Comm_remote_group(across, made); });
  const Handle rest([&](MPI_Group* made) { return MPI_Group_difference(all, far, made); });
  expect_right(of_group(team.comm, rest, false), "all that are not on the other side", Known::composed);
  expect_right(of_group(team.comm, near, false), "the near side", Known::asked);
  int first[1][3] = {{0, 0, 1}};
  const Handle leader([&](MPI_Group* made) { return MPI_Group_range_incl(near, 1, first, made); });
  const Made leaders = of_group(across, leader, false);
  if (leaders != MPI_COMM_NULL) expect_known(leaders, "MPI_Comm_create of an inter-communicator", Known::asked);
}

/// A group handle is freed and given to another group without Heddle's notice. Heddle does not take
/// it for the old group.
TEST_RANKS(4, GroupHandles, OfHandlesThatChangedHands) {
  using Free = int (*)(MPI_Group*);
  using Include = int (*)(MPI_Group, int, const int*, MPI_Group*);
  const auto free = reinterpret_cast<Free>(dlsym(RTLD_DEFAULT, "PMPI_Group_free"));
  const auto incl = reinterpret_cast<Include>(dlsym(RTLD_DEFAULT, "PMPI_Group_incl"));
  expect_known(team.comm, "the team");
  const Handle all = group_of(team.comm);
  const int before[3] = {0, 1, 2}, after[3] = {3, 1, 0};
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Group_incl(all, 3, before, &some);
    free(&some);
    incl(all, 3, after, &some);
    expect_right(of_group(team.comm, some, turn % 2 != 0), "of a handle with a past");
    free(&some);
  }
}

}  // namespace heddle::test::group_handles_tests
