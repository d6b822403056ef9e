// All ways to complete requests, over lists that mix large noncontiguous messages with native,
// persistent, inactive and null requests.
#include <algorithm>
#include <memory>

#include "traps/large.hpp"

namespace heddle::test::completion_tests {
namespace {

constexpr int tag = 6;
constexpr int many = 24;

/// Message i of a set. Every third message is native, with a few bytes or large.
std::unique_ptr<Large> piece(int i, bool sending) {
  const Shapes pair = shapes[static_cast<std::size_t>(i) % std::size(shapes)];
  if (i % 3 == 0) return std::make_unique<Large>(Shape::contiguous, i % 2 ? 768 : 100 * KiB);
  const std::size_t sizes[] = {8 * KiB, 60 * KiB, 300 * KiB};
  return std::make_unique<Large>(sending ? pair.sent : pair.received, sizes[static_cast<std::size_t>(i) / 3 % 3]);
}

/// A set of messages from rank 0 to rank 1. Each side starts them in an order of its own.
struct Set {
  std::vector<std::unique_ptr<Large>> data;
  std::vector<MPI_Request> requests;
  std::vector<int> times = std::vector<int>(many, 0);  ///< How often each was reported complete.
  std::uint32_t first;

  Set(const Team& team, std::uint32_t turn, bool persistent) : requests(many + 2, MPI_REQUEST_NULL), first(100 * turn) {
    for (int i = 0; i < many; ++i) {
      data.push_back(piece(i, team.rank == 0));
      if (team.rank == 0) data.back()->fill(first + static_cast<std::uint32_t>(i));
    }
    for (int k = 0; k < many; ++k) {
      const int i = team.rank == 0 ? k : (k * 7 + 5) % many;
      Large& one = *data[static_cast<std::size_t>(i)];
      MPI_Request& request = requests[static_cast<std::size_t>(i) + 1];
      if (team.rank == 0) {
        (persistent ? MPI_Send_init : MPI_Isend)(one.base(), one.count(), one.type(), 1, tag + i, team.comm, &request);
      } else {
        (persistent ? MPI_Recv_init : MPI_Irecv)(one.base(), one.count(), one.type(), 0, tag + i, team.comm, &request);
      }
    }
  }

  void note(int index, const MPI_Status& status, const Team& team) {
    ASSERT_TRUE(index >= 1 && index <= many) << index;
    const auto i = static_cast<std::size_t>(index) - 1;
    EXPECT_EQ(++times[i], 1);
    if (team.rank == 0) return;
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, tag + index - 1);
    int count = -1;
    MPI_Get_count(&status, data[i]->type(), &count);
    EXPECT_EQ(count, data[i]->count());
    EXPECT_EQ(data[i]->wrong(first + static_cast<std::uint32_t>(i)), "");  // complete means that the data are there
  }
  void all_noted() const {
    EXPECT_EQ(std::ranges::count(times, 1), many);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
};

}  // namespace

TEST_RANKS(2, Completion, Waitany) {
  for (std::uint32_t turn = 0; turn < 5; ++turn) {
    Set set(team, turn, false);
    for (int left = many; left > 0; --left) {
      int index = -1;
      MPI_Status status;
      MPI_Waitany(many + 2, set.requests.data(), &index, &status);
      set.note(index, status, team);
    }
    int index = -1;
    MPI_Waitany(many + 2, set.requests.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(index, MPI_UNDEFINED);
    set.all_noted();
  }
}

TEST_RANKS(2, Completion, Testany) {
  for (std::uint32_t turn = 0; turn < 5; ++turn) {
    Set set(team, turn, false);
    for (;;) {
      int index = -1, flag = 0;
      MPI_Status status;
      MPI_Testany(many + 2, set.requests.data(), &index, &flag, &status);
      if (flag && index == MPI_UNDEFINED) break;
      if (flag) set.note(index, status, team);
    }
    set.all_noted();
  }
}

TEST_RANKS(2, Completion, Testsome) {
  for (std::uint32_t turn = 0; turn < 5; ++turn) {
    Set set(team, turn, false);
    for (;;) {
      int done = -1;
      std::vector<int> indices(many + 2);
      std::vector<MPI_Status> statuses(many + 2);
      MPI_Testsome(many + 2, set.requests.data(), &done, indices.data(), statuses.data());
      if (done == MPI_UNDEFINED) break;
      for (std::size_t i = 0; i < static_cast<std::size_t>(done); ++i) set.note(indices[i], statuses[i], team);
    }
    set.all_noted();
  }
}

TEST_RANKS(2, Completion, Waitsome) {
  for (std::uint32_t turn = 0; turn < 5; ++turn) {
    Set set(team, turn, false);
    for (;;) {
      int done = -1;
      std::vector<int> indices(many + 2);
      std::vector<MPI_Status> statuses(many + 2);
      MPI_Waitsome(many + 2, set.requests.data(), &done, indices.data(), statuses.data());
      if (done == MPI_UNDEFINED) break;
      EXPECT_GT(done, 0);
      for (std::size_t i = 0; i < static_cast<std::size_t>(done); ++i) set.note(indices[i], statuses[i], team);
    }
    set.all_noted();
  }
}

TEST_RANKS(2, Completion, TestallIsAllOrNothing) {
  for (std::uint32_t turn = 0; turn < 5; ++turn) {
    Set set(team, turn, false);
    const std::vector<MPI_Request> before = set.requests;
    std::vector<MPI_Status> statuses(many + 2);
    for (int flag = 0; !flag;) {
      MPI_Testall(many + 2, set.requests.data(), &flag, statuses.data());
      if (!flag) {
        EXPECT_EQ(set.requests, before);
      }
    }
    for (int i = 1; i <= many; ++i) set.note(i, statuses[static_cast<std::size_t>(i)], team);
    set.all_noted();
  }
}

TEST_RANKS(2, Completion, GetStatusLeavesTheRequest) {
  Set set(team, 1, false);
  for (int i = 1; i <= many; ++i) {
    MPI_Request& request = set.requests[static_cast<std::size_t>(i)];
    MPI_Status status;
    for (int flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    for (int again = 0; again < 2; ++again) {
      int flag = 0;
      MPI_Request_get_status(request, &flag, &status);
      EXPECT_EQ(flag, 1);
    }
    set.note(i, status, team);
    MPI_Wait(&request, &status);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
  set.all_noted();
}

TEST_RANKS(2, Completion, PersistentRequestsStartAgainAndAgain) {
  Set set(team, 0, true);
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    set.first = 100 * turn;
    std::ranges::fill(set.times, 0);
    for (int i = 0; i < many; ++i) {
      Large& one = *set.data[static_cast<std::size_t>(i)];
      if (team.rank == 0) {
        one.fill(set.first + static_cast<std::uint32_t>(i));
      } else {
        one.clear();
      }
    }
    const std::vector<MPI_Request> before = set.requests;
    MPI_Startall(many / 2, set.requests.data() + 1);
    for (int i = many / 2 + 1; i <= many; ++i) MPI_Start(&set.requests[static_cast<std::size_t>(i)]);
    std::vector<MPI_Status> statuses(many + 2);
    if (turn % 3 == 0) {
      MPI_Waitall(many + 2, set.requests.data(), statuses.data());
    } else if (turn % 3 == 1) {
      for (int flag = 0; !flag;) MPI_Testall(many + 2, set.requests.data(), &flag, statuses.data());
    } else {
      for (int left = many; left > 0; --left) {
        int index = -1;
        MPI_Status status;
        MPI_Waitany(many + 2, set.requests.data(), &index, &status);
        if (index > 0) statuses[static_cast<std::size_t>(index)] = status;
      }
      int index = 0;
      MPI_Waitany(many + 2, set.requests.data(), &index, MPI_STATUS_IGNORE);  // all are inactive
      EXPECT_EQ(index, MPI_UNDEFINED);
    }
    EXPECT_EQ(set.requests, before);
    for (int i = 1; i <= many; ++i) set.note(i, statuses[static_cast<std::size_t>(i)], team);
  }
  for (int i = 1; i <= many; ++i) MPI_Request_free(&set.requests[static_cast<std::size_t>(i)]);
}

/// A wait for a message that is there and for another that is not. It must not wait for the second.
TEST_RANKS(2, Completion, WaitanyDoesNotWaitForTheOthers) {
  each_large({8 * KiB, 300 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large first(team.rank ? pair.received : pair.sent, bytes), last(team.rank ? pair.received : pair.sent, bytes);
    if (team.rank == 0) {
      int word = 0;
      first.fill(number), last.fill(number + 1000);
      MPI_Send(first.base(), first.count(), first.type(), 1, tag, team.comm);
      MPI_Recv(&word, 1, MPI_INT, 1, tag, team.comm, MPI_STATUS_IGNORE);  // rank 1 has the first
      MPI_Send(last.base(), last.count(), last.type(), 1, tag + 1, team.comm);
      return;
    }
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int word = 0, index = -1;
    MPI_Irecv(last.base(), last.count(), last.type(), 0, tag + 1, team.comm, &requests[0]);
    MPI_Irecv(&word, 1, MPI_INT, 0, tag + 2, team.comm, &requests[1]);
    MPI_Irecv(first.base(), first.count(), first.type(), 0, tag, team.comm, &requests[2]);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(index, 2);
    EXPECT_EQ(first.wrong(number), "");
    EXPECT_EQ(last.wrong(0, 0), "");
    MPI_Send(&word, 1, MPI_INT, 0, tag, team.comm);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT_EQ(last.wrong(number + 1000), "");
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  });
}

}  // namespace heddle::test::completion_tests
