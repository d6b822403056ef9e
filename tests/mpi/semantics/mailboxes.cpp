// Short blocks between ranks of a node (engine/exchange/pair_mailboxes.hpp). Each test makes many
// collectives on one communicator, so mailboxes are settled early and then used. Lengths lie around
// the longest block, senders run ahead, mailboxes come and go, and some blocks have one length at
// the sender and another at the reader.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "support/hinted.hpp"
#include "support/made.hpp"
#include "support/rounds.hpp"

namespace heddle::test::mailboxes_tests {
namespace {

/// The bytes from `from` to `to` in a call.
unsigned char said(int call, int from, int to, int at) {
  return static_cast<unsigned char>(7 * call + 31 * from + 3 * to + at);
}

/// A duplicate whose exchanges never go the library's way.
int pair_by_pair(MPI_Comm of, MPI_Comm* made) {
  const int error = MPI_Comm_dup(of, made);
  give_hint(*made, "heddle_alltoallv", "direct");
  return error;
}

/// One MPI_Alltoallv of bytes; `length(from, to)`.
template <class Length>
void exchange(MPI_Comm comm, int call, const Length& length) {
  const int me = rank_in(comm), ranks = size_of(comm);
  std::vector<int> out, in, out_at{0}, in_at{0};
  for (int i = 0; i < ranks; ++i) {
    out.push_back(length(me, i)), in.push_back(length(i, me));
    out_at.push_back(out_at.back() + out.back()), in_at.push_back(in_at.back() + in.back());
  }
  std::vector<unsigned char> sent(static_cast<std::size_t>(out_at.back()) + 1),
      got(static_cast<std::size_t>(in_at.back()) + 1, 0xee);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int k = 0; k < out[i]; ++k) sent[static_cast<std::size_t>(out_at[i] + k)] = said(call, me, static_cast<int>(i), k);
  ASSERT_EQ(
      MPI_Alltoallv(sent.data(), out.data(), out_at.data(), MPI_BYTE, got.data(), in.data(), in_at.data(), MPI_BYTE, comm),
      MPI_SUCCESS);
  int wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    for (int k = 0; k < in[i]; ++k)
      wrong += got[static_cast<std::size_t>(in_at[i] + k)] != said(call, static_cast<int>(i), me, k);
  EXPECT_EQ(wrong, 0) << "in call " << call;
  EXPECT_EQ(got.back(), 0xee) << "in call " << call;
}

}  // namespace

TEST_EACH_RANKS(2, 8, Mailboxes, OfEveryLengthAroundTheLongest) {
  constexpr std::array lengths = {0, 1, 7, 64, 240, 500, 1000, 2000, 4000, 4080, 4095, 4096, 4097, 5000, 0, 70000};
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  for (int call = 0; call < 60; ++call)
    exchange(comm, call,
             [&](int from, int to) { return lengths[static_cast<std::size_t>(5 * call + 3 * from + to) % lengths.size()]; });
}

// All blocks from a rank to its neighbour. Their lengths lie around the most that fits into one
// mailbox together, and around the longest single block. Each communicator makes few calls, so none
// goes the library's way. Some communicators also exchange with all ranks, before or after their
// mailboxes are settled.
TEST_EACH_RANKS(2, 8, Mailboxes, OfNeighboursSeveralTimes) {
  constexpr std::array lengths = {1, 7, 1000, 4095, 4096, 4097, 0, 8000, 8192, 12000, 500, 16300, 24000, 24576, 24577, 60000};
  constexpr int edges = 3;
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  const std::vector<int> to(edges, next), from(edges, previous);
  for (int turn = 0; turn < 8; ++turn) {
    Made comm([&](MPI_Comm* made) {
      return MPI_Dist_graph_create_adjacent(team.comm, edges, from.data(), MPI_UNWEIGHTED, edges, to.data(), MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, made);
    });
    for (int call = 0; call < 8; ++call) {
      const auto length = [&](int sender, int k) {
        const int number = 7 * turn + 5 * call + 3 * sender + k * (1 + call % 3);
        return lengths[static_cast<std::size_t>(number) % (turn % 2 == 0 ? 8 : lengths.size())];
      };
      if (turn % 3 != 0 && call == (turn % 3 == 1 ? 1 : turn))
        exchange(comm, call, [](int one, int other) { return 10 * one + other; });
      std::vector<int> out, in, out_at{0}, in_at{0};
      for (int k = 0; k < edges; ++k) {
        out.push_back(length(team.rank, k)), in.push_back(length(previous, k));
        out_at.push_back(out_at.back() + out.back()), in_at.push_back(in_at.back() + in.back());
      }
      std::vector<unsigned char> sent(static_cast<std::size_t>(out_at.back()) + 1),
          got(static_cast<std::size_t>(in_at.back()) + 1, 0xee);
      for (int i = 0; i < out_at.back(); ++i) sent[static_cast<std::size_t>(i)] = said(call, team.rank, turn, i);
      ASSERT_EQ(MPI_Neighbor_alltoallv(sent.data(), out.data(), out_at.data(), MPI_BYTE, got.data(), in.data(), in_at.data(),
                                       MPI_BYTE, comm),
                MPI_SUCCESS);
      for (int i = 0; i < in_at.back(); ++i)
        ASSERT_EQ(got[static_cast<std::size_t>(i)], said(call, previous, turn, i)) << "turn " << turn << ", call " << call;
      EXPECT_EQ(got.back(), 0xee);
    }
  }
}

// No block comes back, so a sender waits until the reader has consumed the block before the last.
TEST_EACH_RANKS(2, 4, Mailboxes, WaitForReadersThatAreSlow) {
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  for (int call = 0; call < 60; ++call) {
    if (team.rank == team.size - 1 && call % 7 == 3) usleep(2000);
    exchange(comm, call, [&](int from, int to) { return to == from + 1 ? 1 + call : 0; });
  }
}

// More mailboxes than the slots of node memory that a process may lend at once.
TEST_EACH_RANKS(2, 3, Mailboxes, OfCommunicatorsThatComeAndGo) {
  Made kept;
  for (int turn = 0; turn < 250; ++turn) {
    Made comm([&](MPI_Comm* made) { return MPI_Comm_split(team.comm, 0, turn % 2 ? -team.rank : team.rank, made); });
    give_hint(comm, "heddle_alltoallv", "direct");
    for (int call = 0; call < 1 + turn % 7; ++call)  // some end before mailboxes are settled
      exchange(comm, turn + call, [](int from, int to) { return 8 * (from + to) + 1; });
    if (turn % 3 == 0) std::swap(kept, comm);
  }
}

// Two communicators take turns. While one makes collectives, the other stands still.
TEST_EACH_RANKS(3, 6, Mailboxes, OnSeveralCommunicators) {
  const Made one([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  const Made half = split(team.comm, team.rank % 2, -team.rank);
  give_hint(half, "heddle_alltoallv", "direct");
  for (int call = 0; call < 40; ++call) {
    exchange(one, call, [&](int from, int to) { return (from + to + call) % 3 * 100; });
    exchange(half, call, [&](int from, int to) { return 10 + from + to; });
    if (call % 5 == 0) MPI_Barrier(team.comm);
  }
}

// A mistake of the program. Its data must not get into another call.
TEST_RANKS(2, Mailboxes, LongerThanWhatIsExpected) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts differ in what they say";
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int call = 0; call < 5; ++call) exchange(comm, call, [](int, int) { return 16; });
  std::array<std::array<int, 8>, 2> sent{}, got{};
  std::iota(sent[0].begin(), sent[0].end(), 1), std::iota(sent[1].begin(), sent[1].end(), 1);
  const int other = 1 - team.rank, much = team.rank == 0 ? 8 : 4;
  std::array<int, 2> out{}, in{}, at{0, 8};
  out[static_cast<std::size_t>(other)] = much, in[static_cast<std::size_t>(other)] = 4;
  const int error = MPI_Alltoallv(sent.data(), out.data(), at.data(), MPI_INT, got.data(), in.data(), at.data(), MPI_INT, comm);
  int kind = MPI_SUCCESS;
  MPI_Error_class(error, &kind);
  EXPECT_EQ(kind, team.rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  const auto& from_other = got[static_cast<std::size_t>(other)];
  EXPECT_EQ(std::count(from_other.begin() + 4, from_other.end(), 0), 4);
  if (team.rank == 0) {
    EXPECT_EQ(from_other[3], 4);
  }
  for (int call = 0; call < 5; ++call) exchange(comm, call, [](int, int) { return 16; });
}

// The receive has more room than the block needs, on either side of the longest block. MPI does not
// allow that, but programs get away with it (less so under Open MPI 5.0.11 alone, whose ranks
// choose an algorithm by their own counts).
TEST_EACH_RANKS(2, 4, Mailboxes, ShorterThanTheRoomForThem) {
  if (expected() != Expected::on) GTEST_SKIP() << "left alone, Open MPI fails here";
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  const std::size_t ranks = static_cast<std::size_t>(team.size);
  std::vector<char> sent(ranks * 100000), got(sent.size());
  for (int call = 0; call < 300; ++call) {
    if (team.rank == call % team.size && call % 11 == 0) usleep(300);
    std::vector<int> out, in(ranks, 100000), at;
    for (int i = 0; i < team.size; ++i) {
      at.push_back(100000 * i);
      out.push_back((call + team.rank + i) % 4 == 0 ? 9000 : 1 + (37 * call + i) % 4000);
      if (call % 3 == 0) in[static_cast<std::size_t>(i)] = 9000 + call;
      std::fill_n(sent.begin() + at.back(), out.back(), static_cast<char>(call + 16 * team.rank + i));
    }
    std::ranges::fill(got, static_cast<char>(-1));
    ASSERT_EQ(MPI_Alltoallv(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), in.data(), at.data(), MPI_CHAR, comm),
              MPI_SUCCESS);
    for (int i = 0; i < team.size; ++i) {
      const int length = (call + team.rank + i) % 4 == 0 ? 9000 : 1 + (37 * call + team.rank) % 4000;
      const auto* const block = got.data() + at[static_cast<std::size_t>(i)];
      ASSERT_EQ(std::count(block, block + length, static_cast<char>(call + 16 * i + team.rank)), length) << "call " << call;
      ASSERT_EQ(block[length], static_cast<char>(-1)) << "call " << call;
    }
  }
}

// A message that is too long comes where a short block is expected.
TEST_RANKS(2, Mailboxes, TooLongWhereAShortOneIsExpected) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts differ in what they say";
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int call = 0; call < 5; ++call) exchange(comm, call, [](int, int) { return 16; });
  std::vector<char> sent(20000, 'x'), got(20000, '.');
  const std::size_t other = 1 - static_cast<std::size_t>(team.rank);
  std::array<int, 2> out{}, in{}, at{0, 10000};
  out[other] = team.rank == 0 ? 10000 : 10, in[other] = 10;
  const int error =
      MPI_Alltoallv(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), in.data(), at.data(), MPI_CHAR, comm);
  int kind = MPI_SUCCESS;
  MPI_Error_class(error, &kind);
  EXPECT_EQ(kind, team.rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  for (int call = 0; call < 5; ++call) exchange(comm, call, [](int, int) { return 16; });
}

// The next call does not take an unexpected block for its own.
TEST_RANKS(2, Mailboxes, ThatNobodyExpects) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts give it to the next call";
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  for (int call = 0; call < 40; ++call) {
    if (call % 10 != 7) {
      exchange(comm, call, [](int, int) { return 24; });
      continue;
    }
    std::array<char, 64> sent{}, got{};
    std::array<int, 2> out{}, none{}, at{0, 32};
    if (team.rank == 0) out[1] = 32;
    EXPECT_EQ(MPI_Alltoallv(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), none.data(), at.data(), MPI_CHAR, comm),
              MPI_SUCCESS);
  }
}

// An unexpected block does not stop the next block, which is expected as a message.
TEST_RANKS(2, Mailboxes, ThatNobodyExpectsBeforeALongOne) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts give it to the next call";
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  for (int call = 0; call < 5; ++call) exchange(comm, call, [](int, int) { return 24; });
  std::vector<char> sent(10000, 'x'), got(10000, '.');
  for (int turn = 0; turn < 20; ++turn) {
    std::ranges::fill(got, '.');
    for (const bool expected : {false, true}) {
      std::array<int, 2> out{}, in{}, at{};
      if (team.rank == 0) out[1] = expected ? 16 : 32;
      if (team.rank == 1) in[0] = expected ? 10000 : 0;
      if (team.rank == 1 && expected && turn % 2) usleep(300);  // the block and the message have come
      EXPECT_EQ(MPI_Alltoallv(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), in.data(), at.data(), MPI_CHAR, comm),
                MPI_SUCCESS);
    }
    EXPECT_EQ(std::count(got.begin(), got.end(), 'x'), team.rank == 1 ? 16 : 0) << turn;
  }
}

// Persistent exchanges with blocks longer and shorter than expected.
TEST_RANKS(2, Mailboxes, OfAnotherLengthAtEachStart) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts differ in what they say";
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const std::size_t other = 1 - static_cast<std::size_t>(team.rank);
  const int expects = team.rank == 1 ? 40 : 700;  // each rank sends 300
  std::vector<char> sent(300, 'x'), got(800);
  std::array<int, 2> out{}, in{}, at{};
  out[other] = 300, in[other] = expects;
  MPI_Request request = MPI_REQUEST_NULL;
  ASSERT_EQ(MPI_Alltoallv_init(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), in.data(), at.data(), MPI_CHAR, comm,
                               MPI_INFO_NULL, &request),
            MPI_SUCCESS);
  for (int start = 0; start < 7; ++start) {
    std::ranges::fill(got, '.');
    EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
    int kind = MPI_SUCCESS;
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &kind);
    EXPECT_EQ(kind, team.rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << start;
    EXPECT_EQ(std::count(got.begin() + expects, got.end(), 'x'), 0) << start;
    if (team.rank == 0) {
      EXPECT_EQ(std::count(got.begin(), got.end(), 'x'), 300) << start;
    }
  }
  MPI_Request_free(&request);
}

namespace {

/// A persistent exchange of bytes between all ranks, whose receivers may have more room than they
/// need. No rank can tell a block's length at the other end.
struct Roomy {
  enum class Call { alltoallv, alltoallw, neighbor_alltoallv, neighbor_alltoallw, neighbor_allgatherv, count };

  /// @param all  Each rank is a neighbour of each.
  Roomy(Call call, MPI_Comm all, unsigned seed)
      : comm(all), me(rank_in(all)), types(static_cast<std::size_t>(size_of(all)), MPI_CHAR) {
    std::minstd_rand random(seed);
    constexpr std::array lengths = {0, 1, 100, 4000, 8191, 8192, 8193, 9000, 30000};
    const int ranks = size_of(all);
    for (int from = 0; from < ranks; ++from) {
      int length = 0;
      for (int to = 0; to < ranks; ++to) {
        if (call != Call::neighbor_allgatherv || to == 0) length = lengths[random() / 64 % lengths.size()];
        const int more = length > 0 && random() / 64 % 3 > 0 ? static_cast<int>(random() / 64 % 9000) : 0;
        if (from == me) out.push_back(length);
        if (to == me) in.push_back(length), room.push_back(length + more);
      }
    }
    for (int i = 0; i < ranks; ++i) at.push_back(50000 * i);
    sent.resize(50000 * types.size()), got.resize(sent.size());
    EXPECT_EQ(init(call), MPI_SUCCESS);
  }
  ~Roomy() { MPI_Request_free(&request); }
  Roomy(const Roomy&) = delete;
  Roomy& operator=(const Roomy&) = delete;

  void start(int number) {
    for (std::size_t i = 0; i < out.size(); ++i) std::fill_n(sent.begin() + at[i], out[i], value(me, number));
    std::ranges::fill(got, '.');
    EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
  }
  void expect(int number) const {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const char* const block = got.data() + at[i];
      ASSERT_EQ(std::count(block, block + in[i], value(static_cast<int>(i), number)), in[i]) << "start " << number;
      ASSERT_EQ(std::count(block + in[i], block + 50000, '.'), 50000 - in[i]) << "start " << number;
    }
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  static char value(int from, int number) { return static_cast<char>('a' + (3 * from + number) % 26); }
  int init(Call call) {
    const std::vector<MPI_Aint> wide(at.begin(), at.end());
    switch (call) {
      case Call::alltoallv:
        return MPI_Alltoallv_init(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), room.data(), at.data(), MPI_CHAR,
                                  comm, MPI_INFO_NULL, &request);
      case Call::alltoallw:
        return MPI_Alltoallw_init(sent.data(), out.data(), at.data(), types.data(), got.data(), room.data(), at.data(),
                                  types.data(), comm, MPI_INFO_NULL, &request);
      case Call::neighbor_alltoallv:
        return MPI_Neighbor_alltoallv_init(sent.data(), out.data(), at.data(), MPI_CHAR, got.data(), room.data(), at.data(),
                                           MPI_CHAR, comm, MPI_INFO_NULL, &request);
      case Call::neighbor_alltoallw:
        wide_ = wide;
        return MPI_Neighbor_alltoallw_init(sent.data(), out.data(), wide_.data(), types.data(), got.data(), room.data(),
                                           wide_.data(), types.data(), comm, MPI_INFO_NULL, &request);
      default:
        return MPI_Neighbor_allgatherv_init(sent.data(), out[0], MPI_CHAR, got.data(), room.data(), at.data(), MPI_CHAR, comm,
                                            MPI_INFO_NULL, &request);
    }
  }

  MPI_Comm comm;
  int me;
  std::vector<MPI_Datatype> types;
  std::vector<int> out, in, room, at;
  std::vector<MPI_Aint> wide_;
  std::vector<char> sent, got;
};

}  // namespace

// Each end sees only its own length: the sender may have a short block where its reader has room
// for a long one, and the other direction may be the reverse.
TEST_EACH_RANKS(2, 4, Mailboxes, OfPersistentCollectivesWithMoreRoomThanNeeded) {
  if (expected() != Expected::on) GTEST_SKIP() << "left alone, Open MPI fails here";
  std::vector<int> everyone(static_cast<std::size_t>(team.size));
  std::iota(everyone.begin(), everyone.end(), 0);
  const Made all([&](MPI_Comm* made) {
    return MPI_Dist_graph_create_adjacent(team.comm, team.size, everyone.data(), MPI_UNWEIGHTED, team.size, everyone.data(),
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  });
  unsigned seed = 1;
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<std::unique_ptr<Roomy>> several;
    for (int call = 0; call < static_cast<int>(Roomy::Call::count); ++call)
      several.push_back(std::make_unique<Roomy>(static_cast<Roomy::Call>(call), all, ++seed));
    for (int number = 0; number < 5; ++number) {
      for (const auto& one : several) one->start(number);
      if (team.rank % 2) std::ranges::reverse(several);
      for (const auto& one : several) EXPECT_EQ(MPI_Wait(&one->request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      for (const auto& one : several) one->expect(number);
    }
  }
}

/// Rank 2 waits for a mailbox of rank 1. Rank 1 first sends a message that needs rank 2's library
/// to go on. Meanwhile, rank 2 looks at the communicator, and finds a message of rank 0, which is
/// ahead.
TEST_RANKS(3, Mailboxes, AreWaitedForWithTheHostKeptGoing) {
  const Made comm([&](MPI_Comm* made) { return pair_by_pair(team.comm, made); });
  const std::array counts = {8, 8, 8}, places = {0, 8, 16};
  std::vector<unsigned char> out(24), in(24), large(200000);
  MPI_Request all = MPI_REQUEST_NULL;
  ASSERT_EQ(MPI_Alltoallv_init(out.data(), counts.data(), places.data(), MPI_BYTE, in.data(), counts.data(), places.data(),
                               MPI_BYTE, comm, MPI_INFO_NULL, &all),
            MPI_SUCCESS);
  for (int call = 0; call < 5; ++call) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = said(call, team.rank, static_cast<int>(i) / 8, static_cast<int>(i) % 8);
    MPI_Request message = MPI_REQUEST_NULL;
    if (team.rank == 2) MPI_Irecv(large.data(), 200000, MPI_BYTE, 1, 0, team.comm, &message);
    MPI_Barrier(team.comm);
    if (team.rank == 1) {
      usleep(20000);
      MPI_Send(large.data(), 200000, MPI_BYTE, 2, 0, team.comm);
    }
    ASSERT_EQ(MPI_Start(&all), MPI_SUCCESS);
    if (team.rank != 0) MPI_Wait(&all, MPI_STATUS_IGNORE);
    exchange(comm, call, [](int /*from*/, int /*to*/) { return 16; });
    if (team.rank == 0) MPI_Wait(&all, MPI_STATUS_IGNORE);
    MPI_Wait(&message, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < in.size(); ++i)
      EXPECT_EQ(in[i], said(call, static_cast<int>(i) / 8, team.rank, static_cast<int>(i) % 8)) << i;
  }
  MPI_Request_free(&all);
}

}  // namespace heddle::test::mailboxes_tests
