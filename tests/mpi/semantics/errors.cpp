// Mistakes are reported as the host reports them: with the same class, through the program's
// handler.
#include <functional>
#include <vector>

#include "support/build_type.hpp"
#include "support/handlers.hpp"
#include "support/ranks.hpp"

namespace heddle::test {
namespace {

/// A mistake gives the same error class through Heddle and made to the host directly, and not
/// success.
#define SAME_MISTAKE(name, ...)                                  \
  do {                                                           \
    const int ours_ = error_class(MPI_##name(__VA_ARGS__));      \
    const int hosts_ = error_class(PMPI_##name(__VA_ARGS__));    \
    EXPECT_EQ(ours_, hosts_) << #name "(" #__VA_ARGS__ ")";      \
    EXPECT_NE(ours_, MPI_SUCCESS) << #name "(" #__VA_ARGS__ ")"; \
  } while (false)

int handled = 0, heard = 0;
void count_errors(MPI_Comm* /*comm*/, int* code, ...) {
  handled = error_class(*code);
  ++heard;
}

/// During its lifetime, a handler of the program gets the errors on `comm`, and returns.
class HeardErrors {
 public:
  explicit HeardErrors(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_create_errhandler(count_errors, &handler_);
    MPI_Comm_set_errhandler(comm, handler_);
  }
  ~HeardErrors() {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler_);
  }
  HeardErrors(const HeardErrors&) = delete;
  HeardErrors& operator=(const HeardErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// A mistake is made through Heddle and to the host directly. Both return the same, and the handler
/// is called once, with the same error.
#define HEARD_ALIKE(name, ...)                                                             \
  do {                                                                                     \
    handled = heard = 0;                                                                   \
    const int ours_ = error_class(MPI_##name(__VA_ARGS__));                                \
    const int handled_ = handled, heard_ = heard;                                          \
    handled = heard = 0;                                                                   \
    EXPECT_EQ(ours_, error_class(PMPI_##name(__VA_ARGS__))) << #name "(" #__VA_ARGS__ ")"; \
    EXPECT_EQ(handled_, handled) << #name "(" #__VA_ARGS__ ")";                            \
    EXPECT_EQ(heard_, heard) << #name "(" #__VA_ARGS__ ")";                                \
    EXPECT_EQ(heard_, 1) << #name "(" #__VA_ARGS__ ")";                                    \
  } while (false)

/// No message is under way to this rank, and no receive is left that would take the next message.
void nothing_is_under_way(const Team& team, const char* call) {
  int found = 0;
  for (int i = 0; i < 20 && !found; ++i) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &found, MPI_STATUS_IGNORE);
  EXPECT_FALSE(found) << call;
  int sent = 7, received = 0;
  MPI_Sendrecv(&sent, 1, MPI_INT, team.rank, 99, &received, 1, MPI_INT, team.rank, 99, team.comm, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, sent) << call;
}

}  // namespace

TEST_RANKS(1, Errors, MessagesHaveTheHostsClass) {
  const ReturningErrors returning(team.comm);
  const Committed type("vector(20, 3, 5, int)");
  std::vector<int> data(100);
  SAME_MISTAKE(Send, data.data(), -1, type, 0, 1, team.comm);
  SAME_MISTAKE(Send, data.data(), 1, type, 7, 1, team.comm);
  SAME_MISTAKE(Send, data.data(), 1, type, 0, -5, team.comm);
  SAME_MISTAKE(Send, data.data(), 1, MPI_DATATYPE_NULL, 0, 1, team.comm);
  SAME_MISTAKE(Recv, data.data(), -1, type, 0, 1, team.comm, MPI_STATUS_IGNORE);
  SAME_MISTAKE(Recv, data.data(), 1, type, 9, 1, team.comm, MPI_STATUS_IGNORE);
  SAME_MISTAKE(Recv, data.data(), 1, MPI_DATATYPE_NULL, 0, 1, team.comm, MPI_STATUS_IGNORE);
  SAME_MISTAKE(Sendrecv, data.data(), 1, type, 5, 1, data.data(), 1, type, 0, 1, team.comm, MPI_STATUS_IGNORE);
  SAME_MISTAKE(Sendrecv_replace, data.data(), -2, type, 0, 1, 0, 1, team.comm, MPI_STATUS_IGNORE);
}

TEST_RANKS(1, Errors, UncommittedTypesAreRefused) {
  const ReturningErrors returning(team.comm);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(20, 3, 5, MPI_INT, &type);
  std::vector<int> data(100);
  SAME_MISTAKE(Send, data.data(), 1, type, 0, 1, team.comm);
  SAME_MISTAKE(Bcast, data.data(), 1, type, 0, team.comm);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &copy);
  SAME_MISTAKE(Send, data.data(), 1, copy, 0, 1, team.comm);
  MPI_Type_free(&copy);
  MPI_Type_free(&type);
}

TEST_RANKS(2, Errors, CollectivesHaveTheHostsClass) {
  const ReturningErrors returning(team.comm);
  const Committed type("vector(20, 3, 5, int)");
  std::vector<int> data(100), all(400);
  SAME_MISTAKE(Bcast, data.data(), 1, type, 9, team.comm);
  SAME_MISTAKE(Bcast, data.data(), -1, type, 0, team.comm);
  SAME_MISTAKE(Gather, data.data(), 1, type, all.data(), 1, type, -4, team.comm);
  SAME_MISTAKE(Scatter, all.data(), 1, type, data.data(), 1, type, 2, team.comm);
  SAME_MISTAKE(Allgather, data.data(), -1, type, all.data(), 1, type, team.comm);
  SAME_MISTAKE(Alltoall, data.data(), 1, type, all.data(), 1, MPI_DATATYPE_NULL, team.comm);
  const int counts[] = {1, 1};
  const int places[] = {0, 1};
  const int bad[] = {1, -1};
  SAME_MISTAKE(Allgatherv, data.data(), 1, type, all.data(), counts, places, MPI_DATATYPE_NULL, team.comm);
  SAME_MISTAKE(Allgatherv, data.data(), 1, MPI_DATATYPE_NULL, all.data(), counts, places, type, team.comm);
  // Negative counts in MPI_Allgatherv are left out: Open MPI 5.0.11 reads beyond the buffer.
  SAME_MISTAKE(Alltoallv, data.data(), counts, places, MPI_DATATYPE_NULL, all.data(), counts, places, type, team.comm);
  SAME_MISTAKE(Alltoallv, data.data(), counts, places, type, all.data(), bad, places, type, team.comm);
}

TEST_RANKS(1, Errors, PackingBeyondTheBuffer) {
  const ReturningErrors returning(team.comm);
  const Committed type("vector(20, 3, 5, int)");
  std::vector<int> data(100), packed(60);
  for (const int room : {0, 100, 239}) {  // MPICH 5.0.2 does not check the room, and reports nothing
    int ours = 0, hosts = 0;
    EXPECT_EQ(error_class(MPI_Pack(data.data(), 1, type, packed.data(), room, &ours, team.comm)),
              error_class(PMPI_Pack(data.data(), 1, type, packed.data(), room, &hosts, team.comm)));
  }
}

TEST_RANKS(2, Errors, TruncationReachesTheProgramsHandler) {
  const Committed type("vector(20, 3, 5, int)");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(team.comm, handler);
  std::vector<int> data(200);
  handled = 0;
  if (team.rank == 0) {
    MPI_Send(data.data(), 61, MPI_INT, 1, 3, team.comm);
  } else {
    MPI_Recv(data.data(), 1, type, 0, 3, team.comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(handled, MPI_ERR_TRUNCATE);
  }
  MPI_Errhandler_free(&handler);
}

/// One half of each call is wrong. Then the other half must not start.
TEST_RANKS(1, Errors, NothingIsSentByACallThatFails) {
  const ReturningErrors returning(team.comm);
  const Committed type("vector(9000, 2, 3, int)");
  MPI_Datatype raw = MPI_DATATYPE_NULL;
  MPI_Type_vector(9000, 2, 3, MPI_INT, &raw);
  std::vector<int> out(40000), in(40000);
  int* const x = out.data();
  int* const y = in.data();
  const int me = team.rank;
  struct Half {
    int count;
    MPI_Datatype type;
    int rank, tag;
  };
  const Half right{1, type, me, 0};
  const Half wrong[] = {{-1, type, me, 0}, {1, raw, me, 0}, {1, MPI_DATATYPE_NULL, me, 0}, {1, type, 9, 0}, {1, type, me, -5}};
  [[maybe_unused]] MPI_Request request = MPI_REQUEST_NULL;
  for (const Half& half : wrong) {
    for (const bool sends : {true, false}) {
      const Half& a = sends ? half : right;
      const Half& b = sends ? right : half;
      EXPECT_NE(
          MPI_Sendrecv(x, a.count, a.type, a.rank, a.tag, y, b.count, b.type, b.rank, b.tag, team.comm, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
      nothing_is_under_way(team, "MPI_Sendrecv");
      EXPECT_NE(MPI_Sendrecv_replace(x, half.count, half.type, a.rank, a.tag, b.rank, b.tag, team.comm, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
      nothing_is_under_way(team, "MPI_Sendrecv_replace");
#if MPI_VERSION >= 4
      EXPECT_NE(MPI_Isendrecv(x, a.count, a.type, a.rank, a.tag, y, b.count, b.type, b.rank, b.tag, team.comm, &request),
                MPI_SUCCESS);
      nothing_is_under_way(team, "MPI_Isendrecv");
      EXPECT_NE(MPI_Isendrecv_replace(x, half.count, half.type, a.rank, a.tag, b.rank, b.tag, team.comm, &request),
                MPI_SUCCESS);
      nothing_is_under_way(team, "MPI_Isendrecv_replace");
#endif
    }
  }
  MPI_Type_free(&raw);
}

TEST_RANKS(2, Errors, AHandlerThatReturnsHearsOnce) {
  const HeardErrors hearing(team.comm);
  const Committed type("vector(3000, 1, 2, int)");
  std::vector<int> out(40000), in(40000);
  int* const x = out.data();
  int* const y = in.data();
  const int me = team.rank;
  const int negative[] = {-1, -1}, counts[] = {1, 1}, places[] = {0, 1}, bytes[] = {0, 24000};
  const MPI_Datatype types[] = {type, type};
  MPI_Request request = MPI_REQUEST_NULL;
  HEARD_ALIKE(Send, x, 1, type, 9, 0, team.comm);
  HEARD_ALIKE(Send, x, 1, type, 1 - me, -5, team.comm);
  HEARD_ALIKE(Ssend, x, 1, type, 1 - me, -5, team.comm);
  HEARD_ALIKE(Isend, x, 1, type, 1 - me, -5, team.comm, &request);
  HEARD_ALIKE(Send_init, x, 1, type, 1 - me, -5, team.comm, &request);
  HEARD_ALIKE(Recv, y, 1, type, 1 - me, -5, team.comm, MPI_STATUS_IGNORE);
  HEARD_ALIKE(Irecv, y, 1, type, 9, 0, team.comm, &request);
  HEARD_ALIKE(Recv_init, y, 1, type, 9, 0, team.comm, &request);
  HEARD_ALIKE(Sendrecv, x, 1, type, 2, 0, y, 1, type, 1 - me, 0, team.comm, MPI_STATUS_IGNORE);
  HEARD_ALIKE(Sendrecv, x, 1, type, 1 - me, 0, y, 1, type, 2, 0, team.comm, MPI_STATUS_IGNORE);
  HEARD_ALIKE(Bcast, x, 1, type, 9, team.comm);
  HEARD_ALIKE(Gather, x, 1, type, y, 1, type, 9, team.comm);
  HEARD_ALIKE(Allgatherv, x, -1, type, y, counts, places, type, team.comm);
  HEARD_ALIKE(Alltoallv, x, negative, places, type, y, negative, places, type, team.comm);
  HEARD_ALIKE(Alltoallw, x, negative, bytes, types, y, counts, bytes, types, team.comm);
  HEARD_ALIKE(Ibcast, x, 1, type, 9, team.comm, &request);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
}

/// The message is longer than its receive, packed or announced. The receive returns as the host's
/// does.
TEST_RANKS(2, Errors, TruncationReturnsAsTheHostDoes) {
  const HeardErrors hearing(team.comm);
  const Committed type("vector(3000, 1, 2, int)"), longer("vector(30000, 1, 2, int)");
  std::vector<int> data(60000, 5);
  for (const bool waits : {false, true}) {
    if (team.rank == 0) {
      MPI_Send(data.data(), 3001, MPI_INT, 1, 3, team.comm);
      MPI_Send(data.data(), 1, longer, 1, 3, team.comm);
      continue;
    }
    for (int message = 0; message < 2; ++message) {
      handled = heard = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      if (waits) {
        const HeardErrors rest(MPI_COMM_WORLD);  // MPICH raises errors of completions there
        MPI_Irecv(data.data(), 1, type, 0, 3, team.comm, &request);
        EXPECT_EQ(error_class(MPI_Wait(&request, MPI_STATUS_IGNORE)), after_handler(MPI_ERR_TRUNCATE)) << message;
      } else {
        EXPECT_EQ(error_class(MPI_Recv(data.data(), 1, type, 0, 3, team.comm, MPI_STATUS_IGNORE)),
                  after_handler(MPI_ERR_TRUNCATE))
            << message;
      }
      EXPECT_EQ(handled, MPI_ERR_TRUNCATE) << message;
      EXPECT_EQ(heard, 1) << message;
    }
  }
}

/// A call on rank 1 that receives the message with that tag. Sets the status and returns the error
/// code.
using Receive = std::function<int(void*, MPI_Datatype, int tag, MPI_Status*)>;

/// A receive has room for more numbers than an int can count, and gets a short message.
TEST_RANKS(2, Errors, RoomForMoreThanAnIntCanCount) {
  if constexpr (sizeof(void*) < 8) GTEST_SKIP();
  const MPI_Comm comm = team.comm;
  const Receive receives[] = {
      [=](void* to, MPI_Datatype type, int tag, MPI_Status* status) { return MPI_Recv(to, 1, type, 0, tag, comm, status); },
      [=](void* to, MPI_Datatype type, int tag, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        const int error = MPI_Irecv(to, 1, type, 0, tag, comm, &request);
        return error == MPI_SUCCESS ? MPI_Wait(&request, status) : error;
      },
      [=](void* to, MPI_Datatype type, int tag, MPI_Status* status) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(0, tag, comm, &message, status);
        return MPI_Mrecv(to, 1, type, &message, status);
      },
      [=](void* to, MPI_Datatype type, int tag, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Recv_init(to, 1, type, 0, tag, comm, &request);
        MPI_Start(&request);
        const int error = MPI_Wait(&request, status);
        MPI_Request_free(&request);
        return error;
      },
      [=](void* to, MPI_Datatype type, int tag, MPI_Status* status) {
        return MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, to, 1, type, 0, tag, comm, status);
      }};
  constexpr int rows = 2049, row = 1 << 20, message = 100;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(rows, row, row + 4096, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  std::vector<unsigned char> data(message);
  int tag = 0;
  for (const Receive& receive : receives) {
    ++tag;
    std::fill(data.begin(), data.end(), static_cast<unsigned char>(team.rank == 0 ? tag : 0));
    if (team.rank == 0) {
      MPI_Send(data.data(), message, MPI_BYTE, 1, tag, comm);
      continue;
    }
    MPI_Status status;
    int bytes = -1;
    EXPECT_EQ(receive(data.data(), type, tag, &status), MPI_SUCCESS) << tag;
    MPI_Get_elements(&status, type, &bytes);
    EXPECT_EQ(bytes, message) << tag;
    EXPECT_EQ(data, std::vector<unsigned char>(message, static_cast<unsigned char>(tag)));
  }
  MPI_Type_free(&type);
}

}  // namespace heddle::test
