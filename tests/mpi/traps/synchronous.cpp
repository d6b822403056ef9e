// A synchronous send returns only when its receive has begun, and a ready send finds the receive
// there, by whatever way the message goes.
#include <unistd.h>

#include <chrono>
#include <cstdint>

#include "traps/large.hpp"

namespace heddle::test::synchronous_tests {
namespace {

constexpr int tag = 8;

/// CLOCK_MONOTONIC, the same for all ranks of a node.
std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// Sends the sender's time of return to the receiver, which knows the begin of its receive.
void compare(const Team& team, std::int64_t begun, std::int64_t returned) {
  if (team.rank == 0) {
    MPI_Send(&returned, 1, MPI_INT64_T, 1, tag + 1, team.comm);
  } else {
    MPI_Recv(&returned, 1, MPI_INT64_T, 0, tag + 1, team.comm, MPI_STATUS_IGNORE);
    EXPECT_GE(returned, begun);
  }
}

}  // namespace

TEST_RANKS(2, Synchronous, SsendDoesNotReturnBeforeTheReceive) {
  each_large({KiB, 8 * KiB, 300 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    MPI_Barrier(team.comm);
    std::int64_t begun = 0, returned = 0;
    if (team.rank == 0) {
      Large out(pair.sent, bytes);
      out.fill(number);
      MPI_Ssend(out.base(), out.count(), out.type(), 1, tag, team.comm);
      returned = now();
    } else {
      Large in(pair.received, bytes);
      usleep(20000);
      begun = now();
      if (number % 2 == 0) {
        MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      } else {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(in.base(), in.count(), in.type(), 0, tag, team.comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      EXPECT_EQ(in.wrong(number), "");
    }
    compare(team, begun, returned);
  });
}

TEST_RANKS(2, Synchronous, IssendIsNotCompleteBeforeTheReceive) {
  each_large({KiB, 8 * KiB, 300 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    MPI_Barrier(team.comm);
    std::int64_t begun = 0, returned = 0;
    if (team.rank == 0) {
      Large out(pair.sent, bytes);
      out.fill(number);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Issend(out.base(), out.count(), out.type(), 1, tag, team.comm, &request);
      for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      returned = now();
    } else {
      Large in(pair.received, bytes);
      usleep(20000);
      int flag = 0;
      MPI_Iprobe(0, tag, team.comm, &flag, MPI_STATUS_IGNORE);  // a probe is no receive
      begun = now();
      MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(number), "");
    }
    compare(team, begun, returned);
  });
}

TEST_RANKS(2, Synchronous, ReadySends) {
  each_large({8 * KiB, 300 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    MPI_Request request = MPI_REQUEST_NULL;
    Large data(team.rank ? pair.received : pair.sent, bytes);
    if (team.rank == 1) MPI_Irecv(data.base(), data.count(), data.type(), 0, tag, team.comm, &request);
    MPI_Barrier(team.comm);
    if (team.rank == 0) {
      data.fill(number);
      if (number % 2 == 0) {
        MPI_Rsend(data.base(), data.count(), data.type(), 1, tag, team.comm);
      } else {
        MPI_Irsend(data.base(), data.count(), data.type(), 1, tag, team.comm, &request);
      }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (team.rank == 1) {
      EXPECT_EQ(data.wrong(number), "");
    }
  });
}

}  // namespace heddle::test::synchronous_tests
