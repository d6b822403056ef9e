// A send completes once its receive is posted, even if the receiver then sits in a native call that
// knows nothing of it. A message is received even if its sender sits in such a call.
#include <functional>

#include "traps/large.hpp"

namespace heddle::test::progress_tests {
namespace {

constexpr int tag = 3;

struct Call {
  const char* name;
  std::function<void()> make;
};

/// Calls in which a rank waits for the other rank.
class Calls {
 public:
  explicit Calls(const Team& team) {
    const MPI_Comm comm = team.comm;
    const int rank = team.rank;
    MPI_Win_create(&window_memory_, sizeof window_memory_, 1, MPI_INFO_NULL, comm, &window_);
    all_ = {{"Barrier", [comm] { MPI_Barrier(comm); }},
            {"Bcast",
             [comm] {
               int word = 7;
               MPI_Bcast(&word, 1, MPI_INT, 0, comm);
             }},
            {"Allreduce",
             [comm] {
               int word = 7, sum = 0;
               MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, comm);
             }},
            {"Win_fence", [this] { MPI_Win_fence(0, window_); }},
            {"Comm_split",
             [comm] {
               MPI_Comm part = MPI_COMM_NULL;
               MPI_Comm_split(comm, 0, 0, &part);
               MPI_Comm_free(&part);
             }},
            {"Recv", [comm, rank] {
               int word = 7;
               if (rank == 0) {
                 MPI_Send(&word, 1, MPI_INT, 1, tag + 1, comm);
               } else {
                 MPI_Recv(&word, 1, MPI_INT, 0, tag + 1, comm, MPI_STATUS_IGNORE);
               }
             }}};
  }
  ~Calls() { MPI_Win_free(&window_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  [[nodiscard]] const std::vector<Call>& all() const { return all_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  long window_memory_ = 0;
  std::vector<Call> all_;
};

}  // namespace

TEST_RANKS(2, Progress, SendReturnsWhileTheReceiverSitsInANativeCall) {
  const Calls calls(team);
  for (const Call& call : calls.all()) {
    each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
      if (team.rank == 0) {
        Large out(pair.sent, bytes);
        out.fill(number);
        if (number % 3 == 0) {
          MPI_Ssend(out.base(), out.count(), out.type(), 1, tag, team.comm);
        } else {
          MPI_Send(out.base(), out.count(), out.type(), 1, tag, team.comm);
        }
        out.fill(999);  // the program may use the buffer again
        call.make();
        return;
      }
      Large in(pair.received, bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(in.base(), in.count(), in.type(), 0, tag, team.comm, &request);
      call.make();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(number), "") << call.name;
    });
  }
}

TEST_RANKS(2, Progress, ReceiveReturnsWhileTheSenderSitsInANativeCall) {
  const Calls calls(team);
  for (const Call& call : calls.all()) {
    each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
      if (team.rank == 1) {  // if the call is MPI_Recv, this rank waits in it
        Large in(pair.received, bytes);
        MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
        EXPECT_EQ(in.wrong(number), "") << call.name;
        call.make();
        return;
      }
      Large out(pair.sent, bytes);
      out.fill(number);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(out.base(), out.count(), out.type(), 1, tag, team.comm, &request);
      call.make();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      out.fill(999);
    });
  }
}

TEST_RANKS(2, Progress, SenderWaitsForAnAnswerInANativeReceive) {
  each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    std::uint32_t answer = 0;
    if (team.rank == 0) {
      Large out(pair.sent, bytes);
      out.fill(number);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(out.base(), out.count(), out.type(), 1, tag, team.comm, &request);
      MPI_Recv(&answer, 1, MPI_UINT32_T, 1, tag + 1, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(answer, number);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      Large in(pair.received, bytes);
      MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(number), "");
      answer = number;
      MPI_Send(&answer, 1, MPI_UINT32_T, 0, tag + 1, team.comm);
    }
  });
}

TEST_RANKS(2, Progress, BothWaysAcrossABarrier) {
  each_large({8 * KiB, 200 * KiB, 4 * MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large out(pair.sent, bytes), in(pair.received, bytes);
    out.fill(2 * number + static_cast<std::uint32_t>(team.rank));
    const int other = 1 - team.rank;
    MPI_Request requests[2];
    const bool receives_first = number % 2 == 0;
    const auto receive = [&] { MPI_Irecv(in.base(), in.count(), in.type(), other, tag, team.comm, &requests[0]); };
    if (receives_first) receive();
    MPI_Isend(out.base(), out.count(), out.type(), other, tag, team.comm, &requests[1]);
    if (!receives_first) receive();
    MPI_Barrier(team.comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(in.wrong(2 * number + static_cast<std::uint32_t>(other)), "");
  });
}

/// The descriptor is there before the receive is posted, and the sender has long gone on.
TEST_RANKS(2, Progress, ReceiveLongAfterTheSenderHasLeft) {
  each_large({3 * KiB, 8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large out(pair.sent, bytes), in(pair.received, bytes);
    out.fill(number);
    MPI_Request request = MPI_REQUEST_NULL;
    if (team.rank == 0) MPI_Isend(out.base(), out.count(), out.type(), 1, tag, team.comm, &request);
    MPI_Barrier(team.comm);
    MPI_Barrier(team.comm);
    if (team.rank == 0) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      out.fill(999);
    } else {
      MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(number), "");
    }
  });
}

TEST_RANKS(4, Progress, OneReceiverForMany) {
  constexpr std::size_t bytes = 300 * KiB;
  if (team.rank > 0) {
    Large out(Shape::pairs, bytes);
    for (std::uint32_t number = 0; number < 20; ++number) {
      out.fill(100 * static_cast<std::uint32_t>(team.rank) + number);
      MPI_Send(out.base(), out.count(), out.type(), 0, tag, team.comm);
    }
    MPI_Barrier(team.comm);
    return;
  }
  std::vector<std::unique_ptr<Large>> in;
  std::vector<MPI_Request> requests(60, MPI_REQUEST_NULL);
  for (int i = 0; i < 60; ++i) {
    in.push_back(std::make_unique<Large>(Shape::rows, bytes));
    MPI_Irecv(in.back()->base(), in.back()->count(), in.back()->type(), 1 + i % 3, tag, team.comm,
              &requests[static_cast<std::size_t>(i)]);
  }
  MPI_Barrier(team.comm);
  MPI_Waitall(60, requests.data(), MPI_STATUSES_IGNORE);
  for (std::uint32_t i = 0; i < 60; ++i) EXPECT_EQ(in[i]->wrong(100 * (1 + i % 3) + i / 3), "");
}

}  // namespace heddle::test::progress_tests
