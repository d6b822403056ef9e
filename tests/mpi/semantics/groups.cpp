// Heddle's groups behind communicators. Whatever call makes the communicator, each rank is the one
// that the host says.
#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "support/made.hpp"
#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::groups_tests {
namespace {

int axes_of(MPI_Comm grid) {
  int axes = 0;
  MPI_Cartdim_get(grid, &axes);
  return axes;
}

/// All members except every third, in order or backwards.
Made created(MPI_Comm comm, bool backwards, bool by_group) {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  std::vector<int> ranks;
  for (int rank = 0; rank < size_of(comm); ++rank)
    if (rank % 3 != 1 || size_of(comm) == 1) ranks.push_back(rank);
  if (backwards) std::reverse(ranks.begin(), ranks.end());
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  const bool member = std::find(ranks.begin(), ranks.end(), rank_in(comm)) != ranks.end();
  Made made = Made([&](MPI_Comm* found) {
    if (!by_group) return MPI_Comm_create(comm, some, found);
    *found = MPI_COMM_NULL;
    return member ? MPI_Comm_create_group(comm, some, 4, found) : MPI_SUCCESS;
  });
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return made;
}

Made cart(MPI_Comm comm, std::vector<int> dims, int reorder) {
  const std::vector<int> periods(dims.size(), 1);
  return Made([&](MPI_Comm* made) {
    return MPI_Cart_create(comm, static_cast<int>(dims.size()), dims.data(), periods.data(), reorder, made);
  });
}

/// `count` factors of n, or of as much of n as they can make.
std::vector<int> factors(int n, int count) {
  std::vector<int> dims(static_cast<std::size_t>(count), 0);
  MPI_Dims_create(n, count, dims.data());
  return dims;
}

Made part(MPI_Comm cart, unsigned mask) {
  std::vector<int> remain(static_cast<std::size_t>(axes_of(cart)));
  for (std::size_t i = 0; i < remain.size(); ++i) remain[i] = static_cast<int>(mask >> i & 1);
  return Made([&](MPI_Comm* made) { return MPI_Cart_sub(cart, remain.data(), made); });
}

// Open MPI 5.0.11 ends the program when it reorders some rings ("Not enough slots/constraints"),
// depending on the binding of ranks.
#if defined(OPEN_MPI)
constexpr bool rings_may_be_reordered = false;
#else
constexpr bool rings_may_be_reordered = true;
#endif

Made ring(MPI_Comm comm, int reorder, bool adjacent) {
  const int size = size_of(comm), me = rank_in(comm), next = (me + 1) % size, previous = (me + size - 1) % size, one = 1;
  return Made([&](MPI_Comm* made) {
    if (!adjacent) return MPI_Dist_graph_create(comm, 1, &me, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, made);
    return MPI_Dist_graph_create_adjacent(comm, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder,
                                          made);
  });
}

/// A cycle through the first `nodes` ranks.
Made graph(MPI_Comm comm, int nodes, int reorder) {
  std::vector<int> index(static_cast<std::size_t>(nodes)), edges(index.size());
  std::iota(index.begin(), index.end(), 1);
  for (int i = 0; i < nodes; ++i) edges[static_cast<std::size_t>(i)] = (i + 1) % nodes;
  return Made([&](MPI_Comm* made) { return MPI_Graph_create(comm, nodes, index.data(), edges.data(), reorder, made); });
}

Made merged(MPI_Comm inter, int high) {
  return Made([=](MPI_Comm* made) { return MPI_Intercomm_merge(inter, high, made); });
}

}  // namespace

TEST_EACH_RANKS(1, 17, Groups, OfDuplicates) {
  const MPI_Comm parent = team.comm;  // made by MPI_Comm_split, and not yet asked about
  const Made early = Made([&](MPI_Comm* made) { return MPI_Comm_dup(parent, made); });
  expect_right(early, "a duplicate of what nobody has asked for", Known::asked);
  expect_right(parent, "MPI_Comm_split", Known::asked);
  const Made late = Made([&](MPI_Comm* made) { return MPI_Comm_dup(parent, made); });
  expect_right(late, "MPI_Comm_dup", Known::composed);
  const Made told = Made([&](MPI_Comm* made) { return MPI_Comm_dup_with_info(late, MPI_INFO_NULL, made); });
  expect_right(told, "MPI_Comm_dup_with_info", Known::composed);
  MPI_Request request = MPI_REQUEST_NULL;
  const Made slow = Made([&](MPI_Comm* made) {
    const int result = MPI_Comm_idup(told, made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return result;
  });
  expect_right(slow, "MPI_Comm_idup", Known::composed);
  const Made slower = Made([&](MPI_Comm* made) {
    const int result = MPI_Comm_idup_with_info(slow, MPI_INFO_NULL, made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return result;
  });
  expect_right(slower, "MPI_Comm_idup_with_info", Known::composed);
  // Made by calls that do not pass through Heddle, as Fortran's may.
  const Made unseen = Made([&](MPI_Comm* made) { return PMPI_Comm_dup(slower, made); });
  expect_right(unseen, "a duplicate made elsewhere", Known::asked);
}

TEST_EACH_RANKS(1, 17, Groups, OfSplits) {
  const int me = team.rank;
  expect_right(split(team.comm, me % 2, me), "even and odd", Known::asked);
  expect_right(split(team.comm, me % 3, -me), "each third, backwards", Known::asked);
  expect_right(split(team.comm, me % 4 == 2 ? MPI_UNDEFINED : 0, me), "some are nowhere", Known::asked);
  expect_right(split(team.comm, 0, me * 7 % 5), "shuffled");
  expect_right(split(team.comm, me, 0), "alone");
  const Made node =
      Made([&](MPI_Comm* made) { return MPI_Comm_split_type(team.comm, MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, made); });
  expect_right(node, "MPI_Comm_split_type", Known::either);  // Heddle has looked for hints and made its companion
  const Made unseen = Made([&](MPI_Comm* made) { return PMPI_Comm_split(team.comm, me % 2, -me, made); });
  expect_right(unseen, "a split made elsewhere", Known::asked);
  for (const bool by_group : {false, true})
    for (const bool backwards : {false, true})
      expect_right(created(team.comm, backwards, by_group), by_group ? "MPI_Comm_create_group" : "MPI_Comm_create",
                   Known::asked);
}

TEST_EACH_RANKS(1, 17, Groups, OfTopologies) {
  // The parent has its ranks in reverse, and is known.
  const Made parent = split(team.comm, 0, -team.rank);
  expect_right(parent, "reversed");
  for (int dims = 1; dims <= 3; ++dims) {
    const Made whole = cart(parent, factors(team.size, dims), 0);
    const std::string name = std::to_string(dims) + "-dimensional MPI_Cart_create";
    expect_right(whole, name, Known::composed);
    for (unsigned mask = 0; mask < 1U << dims; ++mask) {
      const Made sub = part(whole, mask);
      expect_right(sub, "MPI_Cart_sub " + std::to_string(mask) + " of " + name, Known::composed);
      if (mask == 3 && dims == 3) {
        for (const unsigned line : {1U, 2U}) expect_right(part(sub, line), "MPI_Cart_sub of a plane", Known::composed);
      }
    }
    expect_right(cart(parent, factors(team.size, dims), 1), name + ", reordered");
    if (team.size > 3) expect_right(cart(parent, factors(team.size / 2, dims), 0), name + " of half");
  }
  for (const int reorder : {0, 1}) {
    // If the ranks are reordered, Heddle may already have asked the host (for its companion for
    // collectives, exchange/).
    const Known wanted = reorder ? Known::either : Known::composed;
    if (!reorder || rings_may_be_reordered) {
      expect_right(ring(parent, reorder, true), "MPI_Dist_graph_create_adjacent", wanted);
      expect_right(ring(parent, reorder, false), "MPI_Dist_graph_create", wanted);
    }
    expect_right(graph(parent, team.size, reorder), "MPI_Graph_create", wanted);
    if (team.size > 2) expect_right(graph(parent, team.size - 1, reorder), "MPI_Graph_create, one left out");
  }
  // The parent is not known.
  const Made unknown = split(team.comm, 0, -team.rank);
  const Made line = cart(unknown, {team.size}, 0);
  expect_right(part(line, 1), "MPI_Cart_sub of a reordered one", Known::either);
}

TEST_EACH_RANKS(2, 17, Groups, OfInterCommunicators) {
  const Made across = bridge(team.comm);
  expect_right(across, "MPI_Intercomm_create", Known::asked);
  const Made again = Made([&](MPI_Comm* made) { return MPI_Comm_dup(across, made); });
  expect_right(again, "a duplicate of it", Known::composed);
  expect_right(merged(again, team.rank % 2), "MPI_Intercomm_merge", Known::asked);
  expect_right(merged(again, 1 - team.rank % 2), "MPI_Intercomm_merge, the other way", Known::asked);
  const Made parts = split(again, team.rank / 2 % 2 ? MPI_UNDEFINED : 0, -team.rank);
  expect_right(parts, "MPI_Comm_split of an inter-communicator");
}

/// Chains of communicators, each made from the one before by a random call.
TEST_EACH_RANKS(1, 17, Groups, OfChains) {
  std::minstd_rand random(run_seed() + static_cast<std::uint32_t>(team.size));  // the same on all ranks
  const auto upto = [&](unsigned n) { return static_cast<int>(random() % (n + 1)); };
  for (int chain = 0; chain < std::min(rounds(3), 3); ++chain) {
    Made at = split(team.comm, 0, upto(1) ? team.rank : -team.rank);
    std::string name = "split";
    // not by MPI_Topo_test: Open MPI 5.0.11 takes communicators that MPI_Comm_create_group makes of
    // a grid for grids, and fails
    int axes = 0;
    for (int depth = 0; depth < 8; ++depth) {
      // All ranks draw the same numbers, also those in another part or left out.
      const int what = upto(8), which = upto(6), dims = 1 + upto(2), asked = upto(1);
      if (at == MPI_COMM_NULL) continue;
      if (asked) expect_right(at, name);
      const int size = size_of(at), me = rank_in(at);
      Made next;
      switch (what) {
        case 0:
          next = Made([&](MPI_Comm* made) { return MPI_Comm_dup(at, made); });
          break;
        case 1:
          next = split(at, me % (1 + which % 3), which % 2 ? -me : me);
          break;
        case 2:
          next = created(at, which % 2 != 0, which > 3);
          break;
        case 3:
        case 4:
          next = axes > 0 ? part(at, static_cast<unsigned>(which)) : cart(at, factors(size, dims), which > 4);
          break;
        case 5:
          next = cart(at, factors(size, dims), 0);
          break;
        case 6:
          // Not a ring of the grid itself: Open MPI 5.0.11 has trouble with rings of grids.
          next = ring(split(at, 0, me), 0, which % 2 != 0);
          break;
        case 7:
          next = graph(at, size, which > 4);
          break;
        default:
          next = size > 1 ? merged(bridge(at), which % 2 ? me % 2 : 1 - me % 2) : split(at, 0, 0);
          break;
      }
      // The number of dimensions may be zero. Open MPI 5.0.11 then divides by zero.
      const bool grid = what >= 3 && what <= 5 && next != MPI_COMM_NULL;
      axes = grid ? axes_of(next) : what == 0 ? axes : 0;
      at = std::move(next);
      name += " " + std::to_string(what) + "." + std::to_string(which);
    }
    if (at != MPI_COMM_NULL) expect_right(at, name);
  }
}

TEST_RANKS(1, Groups, OfCommunicatorsFreedAndMade) {
  const auto live_bytes = [] { return static_cast<long>(mallinfo2().uordblks); };
  const auto some = [](int times) {
    for (int i = 0; i < times; ++i) {
      const Made grid = cart(MPI_COMM_SELF, {1, 1}, 0);
      expect_known(grid, "MPI_Cart_create");
      expect_known(part(grid, 1), "MPI_Cart_sub");
      expect_known(split(MPI_COMM_SELF, 0, 0), "MPI_Comm_split");
      expect_known(Made([&](MPI_Comm* made) { return MPI_Comm_dup(grid, made); }), "MPI_Comm_dup");
      expect_known(created(grid, false, false), "MPI_Comm_create");
    }
  };
  some(500);
  const long before = live_bytes();
  some(20000);  // 100,000 in all
  EXPECT_LT(live_bytes() - before, 16 << 10) << "bytes more after 100,000 communicators";
}

TEST_RANKS(1, Groups, SeenByManyThreadsAtOnce) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  for (int turn = 0; turn < 20; ++turn) {
    const Made shared = split(MPI_COMM_SELF, 0, 0);
    std::vector<Made> own;
    for (int i = 0; i < 4; ++i) own.push_back(split(MPI_COMM_SELF, 0, 0));
    std::vector<std::thread> threads;
    for (const Made& mine : own)
      threads.emplace_back([&] {
        expect_known(shared, "seen by many");
        for (int i = 0; i < 20; ++i) {
          const Made copy = Made([&](MPI_Comm* made) { return MPI_Comm_dup(mine, made); });
          expect_known(copy, "a duplicate in a thread");
          expect_known(cart(copy, {1}, 0), "a grid in a thread");
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_RANKS(4, Groups, AreKeptInAFewBytes) {
  if (expected() != Expected::on) GTEST_SKIP();
  const Made copy = Made([&](MPI_Comm* made) { return MPI_Comm_dup(MPI_COMM_SELF, made); });
  EXPECT_EQ(format_of(MPI_COMM_WORLD), "identity");
  const Made square = cart(team.comm, {2, 2}, 0);
  EXPECT_EQ(format_of(square), "identity");
  EXPECT_EQ(format_of(part(square, 1)), "stride");
}

/// A call that fails makes no communicator, and reports the error.
TEST_RANKS(2, Groups, ErrorsAreTheHosts) {
  const ReturningErrors returning(team.comm);
  MPI_Comm made = MPI_COMM_NULL;
  const int dims[1] = {5}, periods[1] = {0};
  EXPECT_NE(MPI_Cart_create(team.comm, 1, dims, periods, 0, &made), MPI_SUCCESS);
  const int remain[1] = {1};
  EXPECT_EQ(error_class(MPI_Cart_sub(team.comm, remain, &made)), MPI_ERR_TOPOLOGY);
}

}  // namespace heddle::test::groups_tests
