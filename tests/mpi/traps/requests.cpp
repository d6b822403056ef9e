// Requests that do not end by a wait: freed, or cancelled before and after the match.
#include <unistd.h>

#include "traps/large.hpp"

namespace heddle::test::requests_tests {
namespace {

constexpr int tag = 5;

/// Waits until all earlier messages of both ranks are over.
void meet(const Team& team) { MPI_Barrier(team.comm); }

bool cancelled(const MPI_Status& status) {
  int flag = -1;
  MPI_Test_cancelled(&status, &flag);
  return flag != 0;
}

}  // namespace

TEST_RANKS(2, Requests, FreedIsendsArrive) {
  each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    if (team.rank == 0) {
      Large first(pair.sent, bytes), second(pair.sent, bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      first.fill(number), second.fill(number + 1000);
      MPI_Isend(first.base(), first.count(), first.type(), 1, tag, team.comm, &request);
      MPI_Request_free(&request);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      MPI_Issend(second.base(), second.count(), second.type(), 1, tag, team.comm, &request);
      MPI_Request_free(&request);
      meet(team);  // the receiver has both messages, so this rank may use the buffers again
      first.fill(999), second.fill(999);
      return;
    }
    if (number % 4 == 0) usleep(2000);
    for (const std::uint32_t which : {number, number + 1000}) {
      Large in(pair.received, bytes);
      MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(which), "");
    }
    meet(team);
  });
}

TEST_RANKS(2, Requests, FreedPersistentSendsArrive) {
  for (std::uint32_t number = 1; number <= 20; ++number) {
    Large data(Shape::pairs, 100 * KiB);
    if (team.rank == 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      data.fill(number);
      MPI_Send_init(data.base(), data.count(), data.type(), 1, tag, team.comm, &request);
      MPI_Start(&request);
      MPI_Request_free(&request);
    } else {
      MPI_Recv(data.base(), data.count(), data.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(data.wrong(number), "");
    }
    meet(team);
  }
}

TEST_RANKS(2, Requests, ReceivesCancelledBeforeTheMatch) {
  each_large({8 * KiB, 200 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    if (team.rank == 1) {
      Large never(pair.received, bytes), in(pair.received, bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status;
      MPI_Irecv(never.base(), never.count(), never.type(), 0, tag, team.comm, &request);
      MPI_Cancel(&request);
      if (number % 2 == 0) {
        MPI_Wait(&request, &status);
      } else {
        for (int done = 0; !done;) MPI_Test(&request, &done, &status);
      }
      EXPECT_TRUE(cancelled(status));
      EXPECT_EQ(never.wrong(0, 0), "");
      meet(team);  // the message is sent only now
      MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, &status);
      EXPECT_EQ(in.wrong(number), "");
      EXPECT_EQ(never.wrong(0, 0), "");
      EXPECT_FALSE(cancelled(status));
    } else {
      Large out(pair.sent, bytes);
      out.fill(number);
      meet(team);
      MPI_Send(out.base(), out.count(), out.type(), 1, tag, team.comm);
    }
  });
}

TEST_RANKS(2, Requests, ReceivesCancelledAfterTheMatch) {
  each_large({8 * KiB, 200 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    const int total = 3;
    if (team.rank == 0) {
      Large out(pair.sent, bytes);
      out.fill(number);
      for (int i = 0; i < total; ++i) MPI_Send(out.base(), out.count(), out.type(), 1, tag, team.comm);
      meet(team);
      return;
    }
    // Each receive got a message or was cancelled. Later receives must get the messages of
    // cancelled receives.
    int came = 0, given_up = 0;
    while (came < total) {
      Large in(pair.received, bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status;
      MPI_Irecv(in.base(), in.count(), in.type(), 0, tag, team.comm, &request);
      if (given_up < 5) {
        if (number % 3 > 0) usleep(300 * (number % 3));
        MPI_Cancel(&request);
      }
      MPI_Wait(&request, &status);
      if (cancelled(status)) {
        ++given_up;
        EXPECT_EQ(in.wrong(0, 0), "");
      } else {
        ++came;
        int count = -1;
        MPI_Get_count(&status, in.type(), &count);
        EXPECT_EQ(count, in.count());
        EXPECT_EQ(in.wrong(number), "");
      }
    }
    meet(team);
  });
}

TEST_RANKS(2, Requests, SendsCancelledOrDelivered) {
  each_large({8 * KiB, 200 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    int withdrawn = 0;
    if (team.rank == 0) {
      Large out(pair.sent, bytes);
      out.fill(number);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status;
      // Each size is sent in both modes, with a pause before the cancel and without one.
      const auto begin = number / 2 % 2 == 0 ? MPI_Isend : MPI_Issend;
      begin(out.base(), out.count(), out.type(), 1, tag, team.comm, &request);
      if (number % 3 == 0) usleep(500);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      withdrawn = cancelled(status);
      out.fill(999);
      MPI_Send(&withdrawn, 1, MPI_INT, 1, tag + 1, team.comm);
      out.fill(number + 1000);
      MPI_Send(out.base(), out.count(), out.type(), 1, tag, team.comm);
      return;
    }
    Large in(pair.received, bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in.base(), in.count(), in.type(), 0, tag, team.comm, &request);
    MPI_Recv(&withdrawn, 1, MPI_INT, 0, tag + 1, team.comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(withdrawn ? number + 1000 : number), "");
    if (withdrawn) return;
    in.clear();
    MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(number + 1000), "");
  });
}

}  // namespace heddle::test::requests_tests
