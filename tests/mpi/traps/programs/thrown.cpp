// Error handlers that throw, as C++ programs have them. MPICH and Open MPI let an exception
// through, so Heddle must, too. Afterwards the request is gone, and communication goes on.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "traps/large.hpp"

namespace heddle::test {
namespace {

constexpr int tag = 9;

struct Raised {
  int kind;
};

Team world() {
  Team team{MPI_COMM_WORLD, 0, 0};
  MPI_Comm_rank(team.comm, &team.rank);
  MPI_Comm_size(team.comm, &team.size);
  return team;
}

int class_of(int code) {
  int kind = MPI_SUCCESS;
  MPI_Error_class(code, &kind);
  return kind;
}

/// A communicator whose errors are thrown.
class Throwing {
 public:
  explicit Throwing(const Team& team) {
    MPI_Comm_dup(team.comm, &comm_);
    MPI_Comm_create_errhandler(raise, &handler_);
    MPI_Comm_set_errhandler(comm_, handler_);
  }
  ~Throwing() {
    MPI_Errhandler_free(&handler_);
    MPI_Comm_free(&comm_);
  }
  Throwing(const Throwing&) = delete;
  Throwing& operator=(const Throwing&) = delete;
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  static void raise(MPI_Comm* /*comm*/, int* code, ...) { throw Raised{class_of(*code)}; }
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// The class of the error that a call throws. MPI_SUCCESS: the call throws nothing.
int thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const Raised& raised) {
    return raised.kind;
  }
  return MPI_SUCCESS;
}

/// Sound messages: contiguous, packed, announced.
void goes_on(const Team& team, MPI_Comm comm) {
  std::uint32_t number = 100;
  for (const Shapes pair : {Shapes{Shape::contiguous, Shape::contiguous}, Shapes{Shape::columns, Shape::structs}})
    for (const std::size_t bytes : {KiB, 300 * KiB}) {
      Large out(pair.sent, bytes), in(pair.received, bytes);
      out.fill(++number);
      MPI_Sendrecv(out.base(), out.count(), out.type(), 1 - team.rank, tag, in.base(), in.count(), in.type(), 1 - team.rank,
                   tag, comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(number), "");
      in.clear();
      MPI_Request requests[2];
      MPI_Irecv(in.base(), in.count(), in.type(), 1 - team.rank, tag, comm, &requests[0]);
      MPI_Isend(out.base(), out.count(), out.type(), 1 - team.rank, tag, comm, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(in.wrong(number), "");
    }
}

/// Receives messages of each kind by `receive(buffer, count, type)`, with room for half of the
/// message.
void truncates(const Team& team, const Throwing& throwing, const std::function<void(Large& in, int count)>& receive) {
  for (const Shapes pair : {Shapes{Shape::contiguous, Shape::contiguous}, Shapes{Shape::columns, Shape::structs}})
    for (const std::size_t bytes : {KiB, 300 * KiB}) {
      if (team.rank == 0) {
        Large out(pair.sent, bytes);
        out.fill(1);
        MPI_Request sent = MPI_REQUEST_NULL;
        MPI_Isend(out.base(), out.count(), out.type(), 1, tag, throwing.comm(), &sent);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
      } else {
        Large in(pair.received, bytes);
        EXPECT_EQ(thrown_by([&] { receive(in, in.count() / 2); }), MPI_ERR_TRUNCATE) << bytes << " bytes";
      }
      goes_on(team, throwing.comm());
    }
}

/// MPICH 5.0.2's library of the standard ABI, alone, converts handles after the call. If the call
/// throws, it never does.
bool hands_back() {
#if defined(MPI_ABI)
  const char* mode = std::getenv("TEST_HEDDLE");
  return mode && std::string_view(mode) == "on";
#else
  return true;
#endif
}

}  // namespace

TEST(Thrown, OutOfATruncatedReceive) {
  const Team team = world();
  const Throwing throwing(team);
  truncates(team, throwing,
            [&](Large& in, int count) { MPI_Recv(in.base(), count, in.type(), 0, tag, throwing.comm(), MPI_STATUS_IGNORE); });
}

TEST(Thrown, OutOfACompletionThatTruncates) {
  const Team team = world();
  const Throwing throwing(team);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const auto begin = [&](Large& in, int count) {
    MPI_Irecv(in.base(), count, in.type(), 0, tag, throwing.comm(), &requests[1]);
  };
  const std::function<void()> completions[] = {[&] { MPI_Wait(&requests[1], MPI_STATUS_IGNORE); },
                                               [&] {
                                                 for (int done = 0; !done;) MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
                                               }};
  for (const auto& complete : completions) {
    truncates(team, throwing, [&](Large& in, int count) {
      begin(in, count);
      complete();
    });
    EXPECT_TRUE(!hands_back() || requests[1] == MPI_REQUEST_NULL);
  }
}

TEST(Thrown, OutOfCallsWithARankThatIsNone) {
  const Team team = world();
  const Throwing throwing(team);
  for (const Shape shape : {Shape::contiguous, Shape::columns, Shape::structs})
    for (const std::size_t bytes : {KiB, 300 * KiB}) {
      Large data(shape, bytes), other(shape, bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      const MPI_Comm comm = throwing.comm();
      const int nobody = team.size + 5;
      const auto rank_error = [&](const std::function<void()>& call) { EXPECT_EQ(thrown_by(call), MPI_ERR_RANK); };
      rank_error([&] { MPI_Send(data.base(), data.count(), data.type(), nobody, tag, comm); });
      rank_error([&] { MPI_Ssend(data.base(), data.count(), data.type(), nobody, tag, comm); });
      rank_error([&] { MPI_Isend(data.base(), data.count(), data.type(), nobody, tag, comm, &request); });
      rank_error([&] { MPI_Recv(data.base(), data.count(), data.type(), nobody, tag, comm, MPI_STATUS_IGNORE); });
      rank_error([&] { MPI_Irecv(data.base(), data.count(), data.type(), nobody, tag, comm, &request); });
      rank_error([&] { MPI_Probe(nobody, tag, comm, MPI_STATUS_IGNORE); });
      rank_error([&] {
        MPI_Sendrecv(data.base(), data.count(), data.type(), nobody, tag, other.base(), other.count(), other.type(), nobody,
                     tag, comm, MPI_STATUS_IGNORE);
      });
      EXPECT_NE(thrown_by([&] { MPI_Bcast(data.base(), data.count(), data.type(), nobody, comm); }), MPI_SUCCESS);
    }
  goes_on(team, throwing.comm());
}

}  // namespace heddle::test

int main(int argc, char** argv) {
  alarm(200);
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int wrong = RUN_ALL_TESTS();
  MPI_Finalize();
  return wrong;
}
