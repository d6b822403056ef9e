// Persistent messages: made once, started many times, completed in every way. Their handles stay.
#include "support/completions.hpp"
#include "support/scattered.hpp"

namespace heddle::test::requests_persistent_tests {
namespace {

enum class Way { send, ssend, bsend, rsend, count };

int make_send(Way way, Area& area, const Side& side, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  switch (way) {
    case Way::ssend:
      return MPI_Ssend_init(area.base(), side.number(), side.type, to, tag, comm, request);
    case Way::bsend:
      return MPI_Bsend_init(area.base(), side.number(), side.type, to, tag, comm, request);
    case Way::rsend:
      return MPI_Rsend_init(area.base(), side.number(), side.type, to, tag, comm, request);
    default:
      return MPI_Send_init(area.base(), side.number(), side.type, to, tag, comm, request);
  }
}

}  // namespace

TEST_EACH_RANKS(1, 8, PersistentRequests, RandomTypesStartedAgainAndAgain) {
  std::vector<char> room(1 << 22);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  each_round(team, 8, [&](Round& r, int number) {
    const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
    const int pairs = static_cast<int>(r.common.between(1, 4));
    std::vector<Side> sides;
    std::vector<std::unique_ptr<Area>> areas;
    std::vector<MPI_Request> requests;
    const bool ready = r.common.rarely(4);
    for (int m = 0; m < 2 * pairs; ++m) {
      sides.push_back(message_side(r, m % 2 ? r.units : std::min<Count>(r.units, 5)));
      areas.push_back(std::make_unique<Area>(blocks(sides.back(), 1), 9));
      requests.push_back(MPI_REQUEST_NULL);
    }
    const auto n = static_cast<std::size_t>(pairs);
    for (std::size_t m = 0; m < n; ++m) {  // receives first
      sides[m + n] = message_side(r, r.units);
      sides[m] = message_side(r, r.units);
      areas[m] = std::make_unique<Area>(blocks(sides[m], 1), 9);
      areas[m + n] = std::make_unique<Area>(blocks(sides[m + n], 1), 9);
      const int tag = static_cast<int>(m);
      succeeds(MPI_Recv_init(areas[m]->base(), sides[m].number(), sides[m].type, r.own.rarely(3) ? MPI_ANY_SOURCE : previous,
                             tag, team.comm, &requests[m]));
      auto way = static_cast<Way>(r.own.upto(static_cast<int>(Way::count) - 1));
      if (way == Way::rsend && !ready) way = Way::send;
      if (way == Way::bsend && areas[m + n]->size(0) > 100000) way = Way::send;
      succeeds(make_send(way, *areas[m + n], sides[m + n], next, tag, team.comm, &requests[m + n]));
    }
    const std::vector<MPI_Request> handles = requests;
    for (int turn = 0; turn < rounds(12); ++turn) {
      const auto told = [&](int from, std::size_t m, Bytes size) {
        return r.from(from * 1000 + turn, static_cast<int>(m), size);
      };
      for (std::size_t m = 0; m < n; ++m) areas[m + n]->put(0, told(team.rank, m, areas[m + n]->size(0)));
      if (ready) {
        succeeds(MPI_Startall(pairs, requests.data()));
        MPI_Barrier(team.comm);
        succeeds(MPI_Startall(pairs, requests.data() + pairs));
      } else if (r.own.upto(1)) {
        succeeds(MPI_Startall(2 * pairs, requests.data()));
      } else {
        for (MPI_Request& request : requests) succeeds(MPI_Start(&request));
      }
      const Completion how = random_completion(r.own);
      SCOPED_TRACE("completion " + std::to_string(static_cast<int>(how)));
      complete(how, requests, r.own, [&](int index, const MPI_Status* status) {
        const auto m = static_cast<std::size_t>(index);
        if (m >= n) return;
        areas[m]->expect(0, told(previous, m, areas[m]->size(0)));
        HOLDS(*areas[m], to_string(*sides[m].shape) << ", turn " << turn);
#if !defined(OPEN_MPI)
        // MPI_Request_get_status of MPICH 5.0.2 makes a persistent request inactive: the next call
        // sees an empty status.
        if (how == Completion::get_status || how == Completion::get_status_rows) return;
#endif
        if (!status) return;
        int count = -1;
        MPI_Get_count(status, MPI_BYTE, &count);
        EXPECT_EQ(count, static_cast<int>(areas[m]->size(0)));
        EXPECT_EQ(status->MPI_SOURCE, previous);
      });
      EXPECT_EQ(requests, handles);
      for (std::size_t m = 0; m < n; ++m) HOLDS(*areas[m + n], "sent data");
    }
    for (MPI_Request& request : requests) succeeds(MPI_Request_free(&request));
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
  void* returned = nullptr;
  int size = 0;
  MPI_Buffer_detach(&returned, &size);
}

TEST_RANKS(2, PersistentRequests, HundredStarts) {
  const Committed type(scattered);
  std::vector<int> numbers(24 * 1000, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (team.rank == 0)
    MPI_Send_init(numbers.data(), 1000, type, 1, 1, team.comm, &request);
  else
    MPI_Recv_init(numbers.data(), 1000, type, 0, 1, team.comm, &request);
  const MPI_Request handle = request;
  for (int turn = 0; turn < 100; ++turn) {
    if (team.rank == 0) std::ranges::fill(numbers, turn);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(request, handle);
    EXPECT_EQ(numbers[24 * 999 + 20], turn);
    EXPECT_EQ(numbers[1], team.rank ? -1 : turn);
  }
  MPI_Request_free(&request);
}

TEST_RANKS(1, PersistentRequests, InactiveOnesAreComplete) {
  const Committed type(scattered);
  std::vector<int> numbers(24);
  std::vector<MPI_Request> requests(2);
  MPI_Send_init(numbers.data(), 1, type, 0, 1, team.comm, &requests[0]);
  MPI_Recv_init(numbers.data(), 1, type, 0, 1, team.comm, &requests[1]);
  const std::vector<MPI_Request> handles = requests;
  MPI_Status status;
  int flag = 0, index = 0, outcount = 0, indices[2], count = -1;
  succeeds(MPI_Wait(&requests[0], &status));
  MPI_Get_count(&status, MPI_BYTE, &count);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  succeeds(MPI_Test(&requests[1], &flag, &status));
  EXPECT_TRUE(flag);
  flag = 0;
  succeeds(MPI_Request_get_status(requests[0], &flag, &status));
  EXPECT_TRUE(flag);
  succeeds(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
  succeeds(MPI_Waitany(2, requests.data(), &index, &status));
  EXPECT_EQ(index, MPI_UNDEFINED);
  succeeds(MPI_Testsome(2, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE));
  EXPECT_EQ(outcount, MPI_UNDEFINED);
  EXPECT_EQ(requests, handles);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// The program may free the type and the communicator of a request before it starts the request.
TEST_RANKS(2, PersistentRequests, OutliveTheirDatatypeAndCommunicator) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(team.comm, &comm);
  std::vector<int> numbers(24 * 10, team.rank ? -1 : 5);
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const Committed type(scattered);
    if (team.rank == 0)
      MPI_Send_init(numbers.data(), 10, type, 1, 1, comm, &request);
    else
      MPI_Recv_init(numbers.data(), 10, type, 0, 1, comm, &request);
  }
  const Committed other("vector(3, 1, 2, int)");  // may get the old handle
  MPI_Comm_free(&comm);
  for (int turn = 0; turn < 3; ++turn) {
    succeeds(MPI_Start(&request));
    succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EQ(numbers[23], 5);
    EXPECT_EQ(numbers[24 * 9 + 23], 5);
    EXPECT_EQ(numbers[1], team.rank ? -1 : 5);
  }
  MPI_Request_free(&request);
}

// The communicator stays, so a start may go by the fabric. The handle may stand for another type by
// then.
TEST_RANKS(4, PersistentRequests, OutliveTheirDatatype) {
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  constexpr int count = 2000;
  for (const char* const text : {scattered, "contiguous(24, int)"}) {
    std::vector<int> sent(24 * count, team.rank), received(24 * count, -1);
    std::array<MPI_Request, 2> requests{};
    {
      const Committed out(text), in(text);
      MPI_Send_init(sent.data(), count, out, next, 1, team.comm, &requests[1]);
      MPI_Recv_init(received.data(), count, in, previous, 1, team.comm, &requests[0]);
    }
    const Committed other("vector(3, 1, 2, double)");
    for (int turn = 0; turn < 3; ++turn) {
      sent[23] = 100 * turn + team.rank;
      received.assign(received.size(), -1);
      succeeds(MPI_Startall(2, requests.data()));
      succeeds(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
      EXPECT_EQ(received[23], 100 * turn + previous);
      EXPECT_EQ(received[24 * (count - 1) + 23], previous);
      EXPECT_EQ(received[1], text == scattered ? -1 : previous);
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }
}

TEST_RANKS(2, PersistentRequests, FreedWhileActive) {
  const Committed type(scattered);
  for (int turn = 0; turn < rounds(10); ++turn) {
    std::vector<int> numbers(24 * 20000, team.rank ? -1 : turn);
    if (team.rank == 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Send_init(numbers.data(), 20000, type, 1, 1, team.comm, &request);
      MPI_Start(&request);
      MPI_Request_free(&request);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
    MPI_Barrier(team.comm);
    if (team.rank == 1) {
      MPI_Recv(numbers.data(), 20000, type, 0, 1, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(numbers[24 * 19999 + 23], turn);
    }
    MPI_Barrier(team.comm);
  }
}

TEST_RANKS(2, PersistentRequests, CancelledAndStartedAnew) {
  const Committed type(scattered);
  std::vector<int> numbers(24, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int cancelled = 0;
  if (team.rank == 1) {
    MPI_Recv_init(numbers.data(), 1, type, 0, 1, team.comm, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    succeeds(MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT_TRUE(cancelled);
    EXPECT_EQ(numbers, std::vector<int>(24, -1));
    MPI_Start(&request);
  }
  MPI_Barrier(team.comm);
  if (team.rank == 0) {
    const std::vector<int> plain(8, 3);
    MPI_Send(plain.data(), 8, MPI_INT, 1, 1, team.comm);
  } else {
    succeeds(MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT_FALSE(cancelled);
    EXPECT_EQ(numbers[23], 3);
    MPI_Request_free(&request);
  }
}

}  // namespace heddle::test::requests_persistent_tests
