// Non-blocking messages with random types on both sides, through every call that makes and every
// call that completes a request.
#include <algorithm>
#include <cstring>

#include "support/completions.hpp"

namespace heddle::test::requests_tests {
namespace {

enum class Way { isend, issend, ibsend, irsend, count };

int begin_send(Way way, Area& area, const Side& side, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  switch (way) {
    case Way::issend:
      return MPI_Issend(area.base(), side.number(), side.type, to, tag, comm, request);
    case Way::ibsend:
      return MPI_Ibsend(area.base(), side.number(), side.type, to, tag, comm, request);
    case Way::irsend:
      return MPI_Irsend(area.base(), side.number(), side.type, to, tag, comm, request);
    default:
      return MPI_Isend(area.base(), side.number(), side.type, to, tag, comm, request);
  }
}

}  // namespace

// Several messages at once around the ring. Among the requests are null requests and requests that
// are the host's own.
TEST_EACH_RANKS(1, 8, Requests, RandomTypesThroughEveryCall) {
  std::vector<char> room(1 << 22);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  each_round(team, 25, [&](Round& r, int number) {
    const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
    const int messages = static_cast<int>(r.common.between(1, 6));
    struct Message {
      Side side;
      Area area;
      Memory told;
      bool incoming;
      int tag;
    };
    std::vector<std::unique_ptr<Message>> all;
    std::vector<MPI_Request> requests;
    const auto add = [&](bool incoming, int tag, Count units) -> Message& {
      const Side side = message_side(r, units);
      auto message = std::make_unique<Message>(Message{side, Area(blocks(side, 1), 9), {}, incoming, tag});
      const Bytes size = message->area.size(0);
      message->told = incoming ? r.from(previous * 100 + tag, team.rank, size) : r.from(team.rank * 100 + tag, next, size);
      if (!incoming) message->area.put(0, message->told);
      all.push_back(std::move(message));
      requests.push_back(MPI_REQUEST_NULL);
      return *all.back();
    };
    const bool ready = r.common.rarely(4);
    std::vector<Count> volumes;
    for (int m = 0; m < messages; ++m) volumes.push_back(r.common.rarely(5) ? 0 : r.common.between(0, r.units));
    const bool matched = !ready && r.common.rarely(5);
    const auto receive_all = [&] {
      for (int m = 0; m < messages; ++m) {
        Message& in = add(true, m, volumes[static_cast<std::size_t>(m)]);
        const bool any = r.common.rarely(3);
        if (matched) {
          MPI_Message handle = MPI_MESSAGE_NULL;
          MPI_Mprobe(previous, m, team.comm, &handle, MPI_STATUS_IGNORE);
          succeeds(MPI_Imrecv(in.area.base(), in.side.number(), in.side.type, &handle, &requests.back()));
          EXPECT_EQ(handle, MPI_MESSAGE_NULL);
        } else {
          succeeds(MPI_Irecv(in.area.base(), in.side.number(), in.side.type, any ? MPI_ANY_SOURCE : previous, m, team.comm,
                             &requests.back()));
        }
      }
    };
    const auto send_all = [&] {
      for (int m = 0; m < messages; ++m) {
        Message& out = add(false, m, volumes[static_cast<std::size_t>(m)]);
        auto way = static_cast<Way>(r.own.upto(static_cast<int>(Way::count) - 1));
        if (way == Way::irsend && !ready) way = Way::isend;
        if (way == Way::ibsend && out.told.size() > 100000) way = Way::isend;
        if (way == Way::issend && matched && team.size == 1) way = Way::isend;
        succeeds(begin_send(way, out.area, out.side, next, m, team.comm, &requests.back()));
      }
    };
    if (matched) {
      send_all();
      receive_all();
    } else {
      receive_all();
      if (ready) MPI_Barrier(team.comm);
      send_all();
    }
    MPI_Status empty;
    const auto extra = requests.size();
    requests.push_back(MPI_REQUEST_NULL);
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(nullptr, 0, MPI_INT, MPI_PROC_NULL, 3, team.comm, &requests.back());
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Ibarrier(team.comm, &requests.back());

    const Completion how = random_completion(r.own);
    if (how == Completion::waitany || how == Completion::waitsome || how == Completion::testany ||
        how == Completion::testsome) {
      MPI_Request& null = requests[extra];  // never reported, so take it out
      MPI_Wait(&null, &empty);
      requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(extra));
    }
    complete(how, requests, r.own, [&](int index, const MPI_Status* status) {
      if (static_cast<std::size_t>(index) >= all.size()) return;
      Message& done = *all[static_cast<std::size_t>(index)];
      if (!done.incoming) return;
      check(status, previous, done.tag, done.told.size());
      done.area.expect(0, done.told);  // at once, not only when all are complete
      HOLDS(done.area, "request " << index << " by way " << static_cast<int>(how) << ": " << to_string(*done.side.shape));
    });
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL) << static_cast<int>(how);
    for (const auto& message : all) HOLDS(message->area, to_string(*message->side.shape));
  });
  void* returned = nullptr;
  int size = 0;
  MPI_Buffer_detach(&returned, &size);
}

TEST_EACH_RANKS(1, 8, Requests, Isendrecv) {
  each_round(team, 15, [&](Round& r, int number) {
    const Side out = message_side(r, r.units), in = message_side(r, r.units);
    const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
    Area sent(blocks(out, 1), 5), got(blocks(in, 1), 6);
    sent.put(0, r.from(team.rank, next, sent.size(0)));
    std::vector<MPI_Request> request(1);
    succeeds(MPI_Isendrecv(sent.base(), out.number(), out.type, next, 4, got.base(), in.number(), in.type, previous, 4,
                           team.comm, request.data()));
    complete(random_completion(r.own), request, r.own, [](int, const MPI_Status*) {});
    got.expect(0, r.from(previous, team.rank, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

// MPICH 5.0.2 alone does not send the buffer's contents, even if they are contiguous.
TEST_EACH_RANKS(1, 8, Requests, IsendrecvReplace) {
#if !defined(OPEN_MPI)
  if (expected() != Expected::on) GTEST_SKIP() << "the host's is broken";
#endif
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  for (int number = 0; number < rounds(10); ++number) {
    std::vector<int> numbers(24 * 50, team.rank), wanted = numbers;
    for (std::size_t i = 0; i < 50; ++i)
      for (const std::size_t place : {0, 2, 5, 7, 11, 12, 20, 23}) wanted[24 * i + place] = previous;
    std::vector<MPI_Request> request(1);
    succeeds(MPI_Isendrecv_replace(numbers.data(), 50, type, next, 4, previous, 4, team.comm, request.data()));
    const Choices choices = choices_of(static_cast<std::uint32_t>(number));
    Chooser choose(choices);
    complete(random_completion(choose), request, choose, [](int, const MPI_Status*) {});
    EXPECT_EQ(numbers, wanted);
  }
}

TEST_RANKS(2, Requests, ShorterThanTheReceiveLeaveTheRestAlone) {
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  const std::vector<int> places = {0, 2, 5, 7, 11, 12, 20, 23};
  for (const int sent : {0, 1, 3, 8}) {
    for (const bool exchange : {false, true}) {
      std::vector<int> numbers(30, -1);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status;
      if (team.rank == 0) {
        const std::vector<int> plain = {0, 1, 2, 3, 4, 5, 6, 7};
        MPI_Send(plain.data(), sent, MPI_INT, 1, 2, team.comm);
        continue;
      }
      if (exchange)
        MPI_Isendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, numbers.data(), 1, type, 0, 2, team.comm, &request);
      else
        MPI_Irecv(numbers.data(), 1, type, 0, 2, team.comm, &request);
      succeeds(MPI_Wait(&request, &status));
      for (int i = 0; i < 30; ++i) {
        const auto place = std::ranges::find(places, i);
        const auto k = static_cast<int>(place - places.begin());
        EXPECT_EQ(numbers[static_cast<std::size_t>(i)], place != places.end() && k < sent ? k : -1) << sent << " at " << i;
      }
      if (!exchange) check(&status, 0, 2, static_cast<std::size_t>(sent) * sizeof(int));
    }
  }
}

// The row has more requests than Heddle keeps room for on the stack. Some receives have holes,
// others are the host's own. The messages come in the opposite order.
TEST_RANKS(2, Requests, LongRows) {
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  constexpr std::size_t many = 700;
  each_round(team, 1, [&](Round& r, int /*number*/) {
    for (int each = 0; each < static_cast<int>(Completion::count); ++each) {
      std::vector<int> into(24 * many, -1);
      std::vector<int> plain(8);
      std::vector<MPI_Request> requests(many, MPI_REQUEST_NULL);
      for (std::size_t i = 0; i < many; ++i) {
        const int count = i % 5 == 0 ? 8 : 1;
        MPI_Irecv(&into[24 * i], count, i % 5 == 0 ? MPI_INT : static_cast<MPI_Datatype>(type), 1 - team.rank,
                  static_cast<int>(i), team.comm, &requests[i]);
      }
      MPI_Barrier(team.comm);
      for (std::size_t i = many; i-- > 0;) {
        std::iota(plain.begin(), plain.end(), static_cast<int>(i));
        MPI_Send(plain.data(), 8, MPI_INT, 1 - team.rank, static_cast<int>(i), team.comm);
      }
      complete(static_cast<Completion>(each), requests, r.own, [&](int index, const MPI_Status* status) {
        const auto i = static_cast<std::size_t>(index);
        check(status, 1 - team.rank, index, 8 * sizeof(int));
        EXPECT_EQ(into[24 * i], index);
        EXPECT_EQ(into[24 * i + (i % 5 == 0 ? 7 : 23)], index + 7) << "by way " << each;
      });
    }
  });
}

// The standard lets a program free the request of a send. The program must not touch the data until
// they have arrived.
TEST_RANKS(2, Requests, FreedBeforeTheyAreComplete) {
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  constexpr int elements = 20000;
  for (int number = 0; number < rounds(10); ++number) {
    std::vector<int> numbers(24 * elements);
    std::iota(numbers.begin(), numbers.end(), number);
    MPI_Request request = MPI_REQUEST_NULL;
    if (team.rank == 0) {
      for (int tag = 0; tag < 3; ++tag) {
        (tag == 1 ? MPI_Issend : MPI_Isend)(numbers.data(), elements, type, 1, tag, team.comm, &request);
        MPI_Request_free(&request);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
      }
      MPI_Barrier(team.comm);
      MPI_Recv(nullptr, 0, MPI_INT, 1, 5, team.comm, MPI_STATUS_IGNORE);
      std::ranges::fill(numbers, -1);
    } else {
      MPI_Barrier(team.comm);
      for (int tag = 2; tag >= 0; --tag) {
        std::vector<int> got(8 * elements);
        MPI_Recv(got.data(), 8 * elements, MPI_INT, 0, tag, team.comm, MPI_STATUS_IGNORE);
        EXPECT_EQ(got[8], number + 24);
        EXPECT_EQ(got[8 * elements - 1], number + 24 * elements - 1);
      }
      MPI_Send(nullptr, 0, MPI_INT, 0, 5, team.comm);
    }
  }
  // The data of a freed receive are put in place all the same.
  std::vector<int> numbers(24, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  const std::vector<int> plain = {0, 1, 2, 3, 4, 5, 6, 7};
  if (team.rank == 1) {
    MPI_Irecv(numbers.data(), 1, type, 0, 7, team.comm, &request);
    MPI_Request_free(&request);
    MPI_Barrier(team.comm);
    MPI_Recv(nullptr, 0, MPI_INT, 0, 8, team.comm, MPI_STATUS_IGNORE);
    // any later call that makes a request looks for it
    for (int polls = 0; numbers[23] != 7 && polls < 100000; ++polls) {
      MPI_Isend(numbers.data(), 1, type, MPI_PROC_NULL, 0, team.comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &flag, MPI_STATUS_IGNORE);
      std::vector<int> other(24);
      MPI_Irecv(other.data(), 1, type, 1, 99, team.comm, &request);
      MPI_Send(numbers.data(), 1, type, 1, 99, team.comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(numbers[2], 1);
    EXPECT_EQ(numbers[23], 7);
    EXPECT_EQ(numbers[1], -1);
  } else {
    MPI_Barrier(team.comm);
    MPI_Send(plain.data(), 8, MPI_INT, 1, 7, team.comm);
    MPI_Send(nullptr, 0, MPI_INT, 1, 8, team.comm);
  }
}

/// Heddle looks up rows of up to 256 requests after the host does (requests/poll.hpp), and longer
/// rows before.
TEST_RANKS(2, Requests, RowsAtTheLimitOfPolls) {
  const Committed type("vector(100, 1, 2, int)");
  for (const int n : {1, 255, 256, 257}) {
    for (int call = 0; call < 3; ++call) {
      std::vector<int> numbers(200, n);
      if (team.rank == 0) {
        for (int i = 0; i < n; ++i) MPI_Send(numbers.data(), 1, type, 1, i, team.comm);
      } else {
        std::vector<std::vector<int>> into(static_cast<std::size_t>(n), std::vector<int>(200, -1));
        std::vector<MPI_Request> requests(into.size());
        std::vector<MPI_Status> statuses(into.size());
        std::vector<int> indices(into.size());
        for (std::size_t i = 0; i < into.size(); ++i)
          MPI_Irecv(into[i].data(), 1, type, 0, static_cast<int>(i), team.comm, &requests[i]);
        for (int done = 0, flag = 0, some = 0; done < n;) {
          if (call == 0) {
            succeeds(MPI_Testany(n, requests.data(), indices.data(), &flag, statuses.data()));
            some = flag;
          } else if (call == 1) {
            succeeds(MPI_Waitsome(n, requests.data(), &some, indices.data(), statuses.data()));
          } else {
            succeeds(MPI_Testall(n, requests.data(), &flag, statuses.data()));
            some = flag ? n : 0;
            for (int i = 0; i < some; ++i) indices[static_cast<std::size_t>(i)] = i;
          }
          for (std::size_t k = 0; k < static_cast<std::size_t>(some); ++k) EXPECT_EQ(statuses[k].MPI_TAG, indices[k]);
          done += some;
        }
        for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
        for (const std::vector<int>& each : into) EXPECT_EQ(std::ranges::count(each, n), 100);
      }
      MPI_Barrier(team.comm);
    }
  }
}

/// When MPI_Request_get_status calls a request complete, Heddle no longer touches the program's
/// memory, even if the request is then freed.
TEST_RANKS(2, Requests, FreedWhenTheyAreKnownToBeComplete) {
  for (const int count : {100, 3000, 40000, 300000}) {
    const Committed type("vector(" + std::to_string(count) + ", 1, 2, int)");
    std::vector<int> numbers(static_cast<std::size_t>(2 * count), 7);
    if (team.rank == 0) {
      MPI_Send(numbers.data(), 1, type, 1, 1, team.comm);
      MPI_Send(numbers.data(), 1, type, 1, 2, team.comm);
    } else {
      std::vector<int> into(numbers.size(), -1), others(numbers.size());
      MPI_Request request = MPI_REQUEST_NULL, other = MPI_REQUEST_NULL;
      succeeds(MPI_Irecv(into.data(), 1, type, 0, 1, team.comm, &request));
      for (int flag = 0; !flag;) succeeds(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
      EXPECT_EQ(std::ranges::count(into, 7), count);
      std::ranges::fill(into, 9);
      succeeds(MPI_Request_free(&request));
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      succeeds(MPI_Irecv(others.data(), 1, type, 0, 2, team.comm, &other));
      succeeds(MPI_Wait(&other, MPI_STATUS_IGNORE));
      EXPECT_EQ(std::ranges::count(into, 9), 2 * count) << count;
    }
    MPI_Barrier(team.comm);
  }
}

TEST_RANKS(2, Requests, Cancelled) {
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  std::vector<int> numbers(24, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int cancelled = 0;
  // Before the match: nothing arrives, and nothing is touched.
  MPI_Irecv(numbers.data(), 1, type, 1 - team.rank, 30, team.comm, &request);
  MPI_Cancel(&request);
  succeeds(MPI_Wait(&request, &status));
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(numbers, std::vector<int>(24, -1));
  MPI_Barrier(team.comm);
  // After the match it is a receive like any other.
  const std::vector<int> plain = {0, 1, 2, 3, 4, 5, 6, 7};
  if (team.rank == 0) {
    MPI_Ssend(plain.data(), 8, MPI_INT, 1, 31, team.comm);
    MPI_Barrier(team.comm);
  } else {
    MPI_Irecv(numbers.data(), 1, type, 0, 31, team.comm, &request);
    MPI_Barrier(team.comm);
    MPI_Cancel(&request);
    succeeds(MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT_FALSE(cancelled);
    EXPECT_EQ(numbers[20], 6);
  }
  // A cancelled send is received whole or not at all. Both sides go on in either case.
  std::vector<int> many(24 * 20000, team.rank);
  if (team.rank == 0) {
    MPI_Isend(many.data(), 20000, type, 1, 32, team.comm, &request);
    MPI_Cancel(&request);
    int gone = 0;
    MPI_Barrier(team.comm);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &gone);
    MPI_Send(&gone, 1, MPI_INT, 1, 33, team.comm);
  } else {
    MPI_Irecv(many.data(), 20000, type, 0, 32, team.comm, &request);
    MPI_Barrier(team.comm);
    int gone = 0;
    MPI_Recv(&gone, 1, MPI_INT, 0, 33, team.comm, MPI_STATUS_IGNORE);
    if (gone) MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(many[0], gone ? 1 : 0);
  }
}

TEST_RANKS(1, Requests, NullOnesHaveAnEmptyStatus) {
  std::vector<MPI_Request> none(3, MPI_REQUEST_NULL);
  const Committed type("indexed_block(1, [0, 2, 5], int)");
  std::vector<int> numbers(6);
  MPI_Request pending = MPI_REQUEST_NULL;
  MPI_Irecv(numbers.data(), 1, type, 0, 1, team.comm, &pending);  // the table is not empty
  std::vector<MPI_Status> statuses(3);
  int index = 0, flag = 0, outcount = 0, indices[3];
  const auto is_empty = [](const MPI_Status& status) {
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    return status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0;
  };
  succeeds(MPI_Wait(none.data(), statuses.data()));
  EXPECT_TRUE(is_empty(statuses[0]));
  succeeds(MPI_Waitall(3, none.data(), statuses.data()));
  EXPECT_TRUE(is_empty(statuses[2]));
  succeeds(MPI_Waitany(3, none.data(), &index, statuses.data()));
  EXPECT_EQ(index, MPI_UNDEFINED);
  succeeds(MPI_Testany(3, none.data(), &index, &flag, statuses.data()));
  EXPECT_TRUE(flag && index == MPI_UNDEFINED);
  succeeds(MPI_Testsome(3, none.data(), &outcount, indices, statuses.data()));
  EXPECT_EQ(outcount, MPI_UNDEFINED);
  succeeds(MPI_Waitall(0, none.data(), statuses.data()));
  // Null requests beside a request of Heddle's.
  std::vector<MPI_Request> mixed = {MPI_REQUEST_NULL, pending, MPI_REQUEST_NULL};
  succeeds(MPI_Testall(3, mixed.data(), &flag, statuses.data()));
  EXPECT_FALSE(flag);
  EXPECT_EQ(mixed[1], pending);
  MPI_Send(numbers.data(), 1, type, 0, 1, team.comm);
  succeeds(MPI_Waitall(3, mixed.data(), statuses.data()));
  EXPECT_TRUE(is_empty(statuses[0]) && is_empty(statuses[2]));
  EXPECT_EQ(statuses[1].MPI_SOURCE, 0);
  EXPECT_EQ(mixed[1], MPI_REQUEST_NULL);
}

/// A generalized request that communicates while it is completed: it sends a message to itself, and
/// posts receives of the next messages. The host may give these the handles of requests that the
/// same call has just completed.
struct Next {
  const Team* team;
  MPI_Datatype type;
  std::vector<std::vector<int>> numbers = std::vector<std::vector<int>>(4, std::vector<int>(24, -1));
  std::vector<MPI_Request> requests = std::vector<MPI_Request>(4, MPI_REQUEST_NULL);

  static int begin(void* state, MPI_Status* status) {
    auto& next = *static_cast<Next*>(state);
    const int sent[2] = {901, 902};
    int got[2] = {-1, -1}, count = -1;
    MPI_Request own = MPI_REQUEST_NULL;
    MPI_Status brought;
    succeeds(MPI_Irecv(got, 2, MPI_INT, 0, 900, MPI_COMM_SELF, &own));
    succeeds(MPI_Send(sent, 2, MPI_INT, 0, 900, MPI_COMM_SELF));
    succeeds(MPI_Wait(&own, &brought));
    MPI_Get_count(&brought, MPI_INT, &count);
    EXPECT_TRUE(got[0] == 901 && got[1] == 902 && count == 2 && brought.MPI_TAG == 900);
    for (std::size_t i = 0; i < 4 && next.requests[i] == MPI_REQUEST_NULL; ++i)
      succeeds(MPI_Irecv(next.numbers[i].data(), 1, next.type, 0, 2, next.team->comm, &next.requests[i]));
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = 0;
    return MPI_SUCCESS;
  }
  static int free(void* /*state*/) { return MPI_SUCCESS; }
  static int cancel(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }
};

TEST_RANKS(2, Requests, TheHostCallsTheProgramBackWithinARow) {
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  const std::vector<std::size_t> places = {0, 2, 5, 7, 11, 12, 20, 23};
  const auto check = [&](const std::vector<int>& numbers, int first) {
    for (std::size_t i = 0, k = 0; i < numbers.size(); ++i) {
      const bool filled = k < places.size() && places[k] == i;
      EXPECT_EQ(numbers[i], filled ? first + static_cast<int>(k) : -1) << i;
      k += filled;
    }
  };
  const Choices choices = choices_of(run_seed());
  Chooser choose(choices);
  for (const Completion how : {Completion::testany, Completion::testsome, Completion::testall, Completion::waitany,
                               Completion::waitsome, Completion::waitall})
    for (int turn = 0; turn < 5; ++turn) {
      MPI_Barrier(team.comm);
      if (team.rank == 0) {
        for (int i = 0; i < 8; ++i) {
          std::vector<int> numbers(8);
          std::iota(numbers.begin(), numbers.end(), 10 * i);
          MPI_Send(numbers.data(), 8, MPI_INT, 1, i < 4 ? 1 : 2, team.comm);
          if (i == 3) MPI_Barrier(team.comm);
        }
        continue;
      }
      Next next{&team, type};
      std::vector<std::vector<int>> numbers(4, std::vector<int>(24, -1));
      std::vector<MPI_Request> requests(5, MPI_REQUEST_NULL);
      for (std::size_t i = 0; i < 4; ++i)
        MPI_Irecv(numbers[i].data(), 1, type, 0, 1, team.comm, &requests[i + static_cast<std::size_t>(i >= 2)]);
      // The request is the host's own: after MPI_Grequest_start Heddle reads rows before they are
      // completed.
      succeeds(PMPI_Grequest_start(Next::begin, Next::free, Next::cancel, &next, &requests[2]));
      const MPI_Request generalized = requests[2];
      MPI_Barrier(team.comm);
      succeeds(MPI_Grequest_complete(generalized));
      complete(how, requests, choose, [](int /*index*/, const MPI_Status* /*status*/) {});
      for (int i = 0; i < 4; ++i) check(numbers[static_cast<std::size_t>(i)], 10 * i);
      succeeds(MPI_Waitall(4, next.requests.data(), MPI_STATUSES_IGNORE));
      for (int i = 0; i < 4; ++i) check(next.numbers[static_cast<std::size_t>(i)], 10 * (i + 4));
    }
}

// A window of receives, as in bandwidth benchmarks. It is larger than the table is at first.
TEST_RANKS(2, Requests, ThousandAtOnce) {
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  constexpr int window = 1000;
  std::vector<std::vector<int>> numbers(window, std::vector<int>(24, -1));
  std::vector<MPI_Request> requests(window);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < window; ++i) {
      std::vector<int>& mine = numbers[static_cast<std::size_t>(i)];
      if (team.rank == 0) std::ranges::fill(mine, i + turn);
      if (team.rank == 0)
        MPI_Issend(mine.data(), 1, type, 1, i, team.comm, &requests[static_cast<std::size_t>(i)]);
      else
        MPI_Irecv(mine.data(), 1, type, 0, i, team.comm, &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < window; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)][20], i + turn);
  }
}

}  // namespace heddle::test::requests_tests
