// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw by each algorithm, which a hint on the communicator
// asks for. Volumes have every kind of distribution, types are random, and communicators have their
// ranks in another order.
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "support/hinted.hpp"

namespace heddle::test::alltoallv_tests {
namespace {

constexpr std::array algorithms = {"auto", "direct", "crystal", "bruck", "two-level", "round-robin", "native"};

template <class Body>
void each_way(const Team& team, Body body) {
  each_way(team, "heddle_alltoallv", algorithms, body);
}

}  // namespace

TEST_EACH_RANKS(1, 17, Alltoallv, OfRandomTypes) {
  // Open MPI 5.0.11 alone takes the displacements of a single rank for numbers of extents.
  if (!Round::types_may_differ() && team.size == 1) return;
  each_way(team, [&](Round& r, Volumes volumes, int number) {
    Mosaic<int> to, from;
    for (int i = 0; i < r.team.size; ++i) {
      to.add(random_side(r.own, r.unit, units(volumes, r, r.team.rank, i)));
      from.add(random_side(r.own, r.unit, units(volumes, r, i, r.team.rank)));
    }
    Area sent(to.blocks, 3), got(from.blocks, 4);
    for (std::size_t i = 0; i < to.blocks.size(); ++i) sent.put(i, r.from(r.team.rank, static_cast<int>(i), sent.size(i)));
    EXPECT_EQ(MPI_Alltoallw(sent.base(), to.counts.data(), to.displacements.data(), to.types.data(), got.base(),
                            from.counts.data(), from.displacements.data(), from.types.data(), r.team.comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < from.blocks.size(); ++i) got.expect(i, r.from(static_cast<int>(i), r.team.rank, got.size(i)));
    HOLDS(got, to_string(*from.sides.front().shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 17, Alltoallv, OfOneType) {
  if (team.size > 6 && team.size % 3 != 2) return;
  each_way(team, [&](Round& r, Volumes volumes, int number) {
    const Side out = random_element(r.own, r.unit), in = random_element(r.own, r.unit);
    std::vector<Count> outgoing, incoming;
    for (int i = 0; i < r.team.size; ++i) {
      outgoing.push_back(units(volumes, r, r.team.rank, i));
      incoming.push_back(units(volumes, r, i, r.team.rank));
    }
    const Spread to(out, outgoing, r.own.rarely(2)), from(in, incoming, r.own.rarely(2));
    Area sent(to.blocks, 3), got(from.blocks, 4);
    for (std::size_t i = 0; i < outgoing.size(); ++i) sent.put(i, r.from(r.team.rank, static_cast<int>(i), sent.size(i)));
    EXPECT_EQ(MPI_Alltoallv(sent.base(), to.counts.data(), to.displacements.data(), out.type, got.base(), from.counts.data(),
                            from.displacements.data(), in.type, r.team.comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < incoming.size(); ++i) got.expect(i, r.from(static_cast<int>(i), r.team.rank, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(2, 17, Alltoallv, OfEqualBlocks) {
  if (team.size % 5 != 2) return;
  each_way(team, [&](Round& r, Volumes volumes, int number) {
    const Count blocks_of = volumes == Volumes::outlier && Round::large(r.unit) ? 600 : units(volumes, r, 1, 2);
    const Side out = random_side(r.own, r.unit, blocks_of), in = random_side(r.own, r.unit, blocks_of);
    Area sent(blocks(out, r.team.size), 3), got(blocks(in, r.team.size), 4);
    for (int i = 0; i < r.team.size; ++i) sent.put(static_cast<std::size_t>(i), r.from(r.team.rank, i, sent.size(0)));
    EXPECT_EQ(MPI_Alltoall(sent.base(), out.number(), out.type, got.base(), in.number(), in.type, r.team.comm), MPI_SUCCESS);
    for (int i = 0; i < r.team.size; ++i) got.expect(static_cast<std::size_t>(i), r.from(i, r.team.rank, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

// Many calls on one communicator, so the ranks' agreement counts, while volumes change. No
// reduction is left when the communicator is freed.
TEST_EACH_RANKS(9, 9, Alltoallv, VolumesChangeFromCallToCall) {
  for (int times = 0; times < 3; ++times) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(team.comm, &comm);
    const int calls = 4 + 70 * times;
    for (int call = 0; call < calls; ++call) {
      std::vector<int> send_counts, receive_counts, send_at, receive_at, sent, got;
      const auto count = [&](int from, int to) { return call / 40 % 2 ? 3 : (from + 1) % team.size == to ? 9000 : 0; };
      for (int i = 0; i < team.size; ++i) {
        send_counts.push_back(count(team.rank, i)), receive_counts.push_back(count(i, team.rank));
        send_at.push_back(static_cast<int>(sent.size())), receive_at.push_back(static_cast<int>(got.size()));
        sent.resize(sent.size() + static_cast<std::size_t>(send_counts.back()), 1000 * team.rank + 10 * i + call);
        got.resize(got.size() + static_cast<std::size_t>(receive_counts.back()), -1);
      }
      MPI_Alltoallv(sent.data(), send_counts.data(), send_at.data(), MPI_INT, got.data(), receive_counts.data(),
                    receive_at.data(), MPI_INT, comm);
      for (int i = 0; i < team.size; ++i)
        for (int k = 0; k < receive_counts[static_cast<std::size_t>(i)]; ++k)
          if (got[static_cast<std::size_t>(receive_at[static_cast<std::size_t>(i)] + k)] != 1000 * i + 10 * team.rank + call) {
            ADD_FAILURE() << "call " << call << " from " << i;
            break;
          }
    }
    MPI_Comm_free(&comm);
  }
}

// Reductions under way on several communicators at once, each with a thread of its own.
TEST_RANKS(8, Alltoallv, ThreadsOnCommunicatorsOfTheirOwn) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  constexpr std::array hints = {"auto", "crystal"};
  std::array<MPI_Comm, hints.size()> comms{};
  std::array<int, hints.size()> wrong{};
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < hints.size(); ++t) {
    MPI_Comm_dup(team.comm, &comms[t]);
    give_hint(comms[t], "heddle_alltoallv", hints[t]);
  }
  for (std::size_t t = 0; t < hints.size(); ++t)
    running.emplace_back([&, t] {
      const auto all = static_cast<std::size_t>(team.size);
      std::vector<int> sent(all), got(all), ones(all, 1), places(all);
      for (std::size_t i = 0; i < all; ++i) places[i] = static_cast<int>(i);
      for (int call = 0; call < 72; ++call) {
        for (int i = 0; i < team.size; ++i) sent[static_cast<std::size_t>(i)] = 1000 * team.rank + 10 * i + call;
        MPI_Alltoallv(sent.data(), ones.data(), places.data(), MPI_INT, got.data(), ones.data(), places.data(), MPI_INT,
                      comms[t]);
        for (int i = 0; i < team.size; ++i)
          if (got[static_cast<std::size_t>(i)] != 1000 * i + 10 * team.rank + call) ++wrong[t];
      }
    });
  for (std::thread& thread : running) thread.join();
  for (std::size_t t = 0; t < hints.size(); ++t) {
    EXPECT_EQ(wrong[t], 0) << hints[t];
    MPI_Comm_free(&comms[t]);
  }
}

TEST_RANKS(3, Alltoallv, HintsCount) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "heddle_alltoallv", "Crystal");
  MPI_Comm_dup_with_info(team.comm, info, &comm);
  MPI_Info_free(&info);
  if (expected() == Expected::on) {
    EXPECT_EQ(hint(comm, "heddle_alltoallv"), "crystal");
  }
  // A hint does not count if ranks differ, or if it names no algorithm.
  give_hint(comm, "heddle_alltoallv", team.rank == 1 ? "direct" : "bruck");
  give_hint(comm, "heddle_allgatherv", "fastest");
  if (expected() == Expected::on) {
    EXPECT_EQ(hint(comm, "heddle_alltoallv"), "crystal");
  }
  give_hint(comm, "heddle_alltoallv", "auto");
  if (expected() == Expected::on) {
    EXPECT_EQ(hint(comm, "heddle_alltoallv"), "auto");
    EXPECT_EQ(hint(comm, "heddle_alltoallv_chosen"), "direct") << "with three ranks there is nothing to choose";
  }
  EXPECT_EQ(hint(team.comm, "heddle_alltoallv_chosen"), "");
  MPI_Comm_free(&comm);
}

#if MPI_VERSION >= 4 || defined(OPEN_MPI)
// The duplicate does not exist yet when it gets its hints. They count from the first blocking
// collective on.
TEST_EACH_RANKS(2, 4, Alltoallv, HintsOfADuplicateToCome) {
  for (const bool alike : {true, false}) {
    MPI_Comm comm = MPI_COMM_NULL, again = MPI_COMM_NULL, unused = MPI_COMM_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Request requests[2];
    MPI_Info_create(&info);
    MPI_Info_set(info, "heddle_alltoallv", alike || team.rank ? "crystal" : "bruck");
    EXPECT_EQ(MPI_Comm_idup_with_info(team.comm, info, &comm, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_idup_with_info(team.comm, info, &unused, &requests[1]), MPI_SUCCESS);
    MPI_Info_free(&info);
    EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    MPI_Comm_free(&unused);
    const auto n = static_cast<std::size_t>(team.size);
    std::vector<int> sent(n), got(n, -1), ones(n, 1), places(n);
    for (int i = 0; i < team.size; ++i) {
      places[static_cast<std::size_t>(i)] = i;
      sent[static_cast<std::size_t>(i)] = 10 * team.rank + i;
    }
    const auto exchange = [&](MPI_Comm on) {
      MPI_Alltoallv(sent.data(), ones.data(), places.data(), MPI_INT, got.data(), ones.data(), places.data(), MPI_INT, on);
      for (int i = 0; i < team.size; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], 10 * i + team.rank);
    };
    exchange(comm);
    MPI_Comm_dup(comm, &again);
    exchange(again);
    if (expected() == Expected::on) {
      EXPECT_EQ(hint(comm, "heddle_alltoallv"), alike ? "crystal" : "");
      EXPECT_EQ(hint(again, "heddle_alltoallv"), "");
      EXPECT_EQ(hint(team.comm, "heddle_alltoallv"), "");
    }
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
  }
}
#endif

}  // namespace heddle::test::alltoallv_tests
