// MPI_THREAD_MULTIPLE: four threads of each rank send and receive large noncontiguous messages at
// once.
#include <functional>
#include <thread>

#include "traps/large.hpp"

namespace heddle::test::threads_tests {
namespace {

constexpr int threads = 4;

/// Runs body(t) in four threads.
void in_threads(const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back(body, t);
  for (std::thread& thread : running) thread.join();
}

bool multiple() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// Message `number` of thread t, in both directions at once.
void exchange(const Team& team, int t, std::uint32_t number, int way) {
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size, tag = 20 + t;
  const Shapes pair = shapes[(number + static_cast<std::uint32_t>(t)) % 6];
  const std::size_t sizes[] = {8 * KiB, 100 * KiB, 700 * KiB};
  const std::size_t bytes = sizes[number % 3];
  Large out(pair.sent, bytes), in(pair.received, bytes);
  const auto name = [&](int rank) {
    return 10000 * static_cast<std::uint32_t>(t) + 100 * number + static_cast<std::uint32_t>(rank);
  };
  out.fill(name(team.rank));
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  switch (way % 4) {
    case 0:
      MPI_Sendrecv(out.base(), out.count(), out.type(), next, tag, in.base(), in.count(), in.type(), previous, tag, team.comm,
                   MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Irecv(in.base(), in.count(), in.type(), previous, tag, team.comm, &requests[0]);
      MPI_Send(out.base(), out.count(), out.type(), next, tag, team.comm);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      break;
    case 2: {
      MPI_Isend(out.base(), out.count(), out.type(), next, tag, team.comm, &requests[1]);
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(previous, tag, team.comm, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(in.base(), in.count(), in.type(), &message, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      break;
    }
    default:
      MPI_Irecv(in.base(), in.count(), in.type(), MPI_ANY_SOURCE, tag, team.comm, &requests[0]);
      MPI_Issend(out.base(), out.count(), out.type(), next, tag, team.comm, &requests[1]);
      for (int done = 0; !done;) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  }
  EXPECT_EQ(in.wrong(name(previous)), "") << "thread " << t << ", way " << way % 4;
}

}  // namespace

TEST_EACH_RANKS(2, 3, Threads, OnOneCommunicator) {
  if (!multiple()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  in_threads([&](int t) {
    for (std::uint32_t number = 0; number < 24; ++number) exchange(team, t, number, static_cast<int>(number / 3));
  });
}

TEST_RANKS(2, Threads, OnCommunicatorsOfTheirOwn) {
  if (!multiple()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  std::vector<Team> teams(threads, team);
  for (Team& each : teams) MPI_Comm_dup(team.comm, &each.comm);
  in_threads([&](int t) {
    for (std::uint32_t number = 0; number < 24; ++number) exchange(teams[static_cast<std::size_t>(t)], t, number, t);
  });
  for (Team& each : teams) MPI_Comm_free(&each.comm);
}

/// One thread sits in a native call, and the others go on.
TEST_RANKS(2, Threads, OneSitsInABarrier) {
  if (!multiple()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(team.comm, &other);
  for (int turn = 0; turn < 3; ++turn) {
    std::thread waiting([&] {
      if (team.rank == 0) MPI_Barrier(other);
    });
    for (std::uint32_t number = 0; number < 12; ++number) exchange(team, 0, number, static_cast<int>(number / 3));
    if (team.rank == 1) MPI_Barrier(other);
    waiting.join();
  }
  MPI_Comm_free(&other);
}

}  // namespace heddle::test::threads_tests
