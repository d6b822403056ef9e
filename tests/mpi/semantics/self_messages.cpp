// Messages of a rank to itself. The receive moves data with holes straight from the send buffer, if
// the send has not ended before.
#include <algorithm>
#include <functional>
#include <string>

#include "support/completions.hpp"

namespace heddle::test::self_messages_tests {
namespace {

constexpr int tag = 3;

/// A send buffer with holes, a receive buffer with holes or without, and their datatypes.
struct Columns {
  Columns(int n_, int block_, bool holes_) : n(n_), block(block_), holes(holes_), out(cells()), in(cells(), -1) {
    MPI_Type_vector(n, block, block + 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i) * 3 + 1;
  }
  ~Columns() { MPI_Type_free(&column); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(block + 2); }
  [[nodiscard]] int count() const { return holes ? 1 : n * block; }
  [[nodiscard]] MPI_Datatype type() const { return holes ? column : MPI_INT; }
  /// The wrong ints of the receive buffer.
  [[nodiscard]] int wrong() const {
    int found = 0;
    std::size_t packed = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool data = static_cast<int>(i % static_cast<std::size_t>(block + 2)) < block;
      const int value = static_cast<int>(i) * 3 + 1;
      if (holes)
        found += in[i] != (data ? value : -1);
      else if (data)
        found += in[packed++] != value;
    }
    for (; !holes && packed < in.size(); ++packed) found += in[packed] != -1;
    return found;
  }

  int n, block;
  bool holes;
  std::vector<int> out, in;
  MPI_Datatype column = MPI_DATATYPE_NULL;
};

void receive_later(Columns& it, const Team& team, MPI_Request* request) {
  succeeds(MPI_Irecv(it.in.data(), it.count(), it.type(), team.rank, tag, team.comm, request));
}
void send_later(Columns& it, const Team& team, MPI_Request* request) {
  succeeds(MPI_Isend(it.out.data(), 1, it.column, team.rank, tag, team.comm, request));
}

using Way = std::function<void(Columns&, const Team&)>;
const std::vector<std::pair<std::string, Way>> ways = {
    {"Irecv, Isend, Waitall",
     [](Columns& it, const Team& team) {
       MPI_Request requests[2];
       receive_later(it, team, &requests[0]);
       send_later(it, team, &requests[1]);
       succeeds(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
     }},
    {"Isend, Irecv, Waitall",
     [](Columns& it, const Team& team) {
       MPI_Request requests[2];
       send_later(it, team, &requests[0]);
       receive_later(it, team, &requests[1]);
       MPI_Status statuses[2];
       succeeds(MPI_Waitall(2, requests, statuses));
       check(&statuses[1], team.rank, tag, static_cast<std::size_t>(it.n * it.block) * sizeof(int));
     }},
    {"Irecv, Send, Wait",
     [](Columns& it, const Team& team) {
       MPI_Request request;
       receive_later(it, team, &request);
       succeeds(MPI_Send(it.out.data(), 1, it.column, team.rank, tag, team.comm));
       std::fill(it.out.begin(), it.out.end(), 0);  // it is the program's again
       succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
     }},
    {"Isend, Recv, Wait",
     [](Columns& it, const Team& team) {
       MPI_Request request;
       send_later(it, team, &request);
       succeeds(MPI_Recv(it.in.data(), it.count(), it.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, MPI_STATUS_IGNORE));
       succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
     }},
    {"Irecv, Isend, Wait for the send first",
     [](Columns& it, const Team& team) {
       MPI_Request requests[2];
       receive_later(it, team, &requests[0]);
       send_later(it, team, &requests[1]);
       succeeds(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
       std::fill(it.out.begin(), it.out.end(), 0);
       succeeds(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
     }},
    {"Issend, Mprobe, Imrecv, Testall",
     [](Columns& it, const Team& team) {
       MPI_Request requests[2];
       MPI_Message message;
       MPI_Status status;
       succeeds(MPI_Issend(it.out.data(), 1, it.column, team.rank, tag, team.comm, &requests[0]));
       succeeds(MPI_Mprobe(team.rank, MPI_ANY_TAG, team.comm, &message, &status));
       check(&status, team.rank, tag, static_cast<std::size_t>(it.n * it.block) * sizeof(int));
       succeeds(MPI_Imrecv(it.in.data(), it.count(), it.type(), &message, &requests[1]));
       for (int done = 0; !done;) succeeds(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
     }},
    {"Sendrecv",
     [](Columns& it, const Team& team) {
       MPI_Status status;
       succeeds(MPI_Sendrecv(it.out.data(), 1, it.column, team.rank, tag, it.in.data(), it.count(), it.type(), team.rank, tag,
                             team.comm, &status));
       check(&status, team.rank, tag, static_cast<std::size_t>(it.n * it.block) * sizeof(int));
     }},
    {"Irecv, Sendrecv with nobody",
     [](Columns& it, const Team& team) {
       MPI_Request request;
       receive_later(it, team, &request);
       succeeds(MPI_Sendrecv(it.out.data(), 1, it.column, team.rank, tag, nullptr, 0, MPI_INT, MPI_PROC_NULL, tag, team.comm,
                             MPI_STATUS_IGNORE));
       std::fill(it.out.begin(), it.out.end(), 0);
       succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
     }},
    {"Isend, freed, Recv",
     [](Columns& it, const Team& team) {
       MPI_Request request;
       send_later(it, team, &request);
       succeeds(MPI_Request_free(&request));
       succeeds(MPI_Recv(it.in.data(), it.count(), it.type(), team.rank, tag, team.comm, MPI_STATUS_IGNORE));
     }},
    {"Send_init, Recv_init, Startall",
     [](Columns& it, const Team& team) {
       MPI_Request requests[2];
       succeeds(MPI_Recv_init(it.in.data(), it.count(), it.type(), team.rank, tag, team.comm, &requests[0]));
       succeeds(MPI_Send_init(it.out.data(), 1, it.column, team.rank, tag, team.comm, &requests[1]));
       for (int round = 0; round < 3; ++round) {
         std::fill(it.in.begin(), it.in.end(), -1);
         succeeds(MPI_Startall(2, requests));
         succeeds(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
       }
       for (MPI_Request& request : requests) succeeds(MPI_Request_free(&request));
     }},
};

/// The columns, by absolute addresses.
struct Absolute {
  explicit Absolute(const Columns& of) {
    MPI_Aint at = 0;
    MPI_Get_address(of.out.data(), &at);
    const int one = 1;
    MPI_Type_create_hindexed(1, &one, &at, of.column, &type);
    MPI_Type_commit(&type);
  }
  ~Absolute() { MPI_Type_free(&type); }
  Absolute(const Absolute&) = delete;
  Absolute& operator=(const Absolute&) = delete;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

}  // namespace

TEST_RANKS(2, SelfMessages, ByEveryWay) {
  for (const auto& [name, way] : ways)
    for (const bool holes : {true, false})
      for (const auto& [n, block] : {std::pair{40, 1}, std::pair{1000, 1}, std::pair{300, 40}, std::pair{20000, 3}})
        for (int round = 0; round < 3; ++round) {  // types of one use go another way
          Columns it(n, block, holes);
          way(it, team);
          EXPECT_EQ(it.wrong(), 0) << name << ", " << n << " x " << block << (holes ? " into holes" : "");
        }
}

TEST_RANKS(2, SelfMessages, FromAbsoluteAddresses) {
  for (int round = 0; round < 3; ++round) {
    Columns it(5000, 2, true);
    const Absolute absolute(it);
    succeeds(MPI_Sendrecv(MPI_BOTTOM, 1, absolute.type, team.rank, tag, it.in.data(), 1, it.column, team.rank, tag, team.comm,
                          MPI_STATUS_IGNORE));
    EXPECT_EQ(it.wrong(), 0);
  }
}

// The message to this rank has left the buffer before the data of the other rank come into it.
TEST_RANKS(2, SelfMessages, FromABufferThatIsReplaced) {
  for (const int n : {100, 3000, 40000})
    for (int round = 0; round < 3; ++round) {
      Columns it(n, 1, true), others(n, 1, true);
      std::fill(others.out.begin(), others.out.end(), -7);
      MPI_Request requests[2];
      receive_later(it, team, &requests[0]);
      succeeds(MPI_Isend(others.out.data(), 1, others.column, 1 - team.rank, tag + 1, team.comm, &requests[1]));
      succeeds(MPI_Sendrecv_replace(it.out.data(), 1, it.column, team.rank, tag, 1 - team.rank, tag + 1, team.comm,
                                    MPI_STATUS_IGNORE));
      succeeds(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
      EXPECT_EQ(it.wrong(), 0) << n;
      EXPECT_EQ(it.out.front(), -7);
      Columns same(n, 1, true);
      succeeds(
          MPI_Sendrecv_replace(same.out.data(), 1, same.column, team.rank, tag, team.rank, tag, team.comm, MPI_STATUS_IGNORE));
      for (std::size_t i = 0; i < same.out.size(); ++i) ASSERT_EQ(same.out[i], static_cast<int>(i) * 3 + 1) << n;
    }
}

// The program frees the request of a message that nobody receives. MPI_Finalize does not wait.
TEST_RANKS(2, SelfMessages, ThatNobodyReceives) {
  MPI_Comm own = MPI_COMM_NULL;
  succeeds(MPI_Comm_dup(team.comm, &own));
  static auto* const left = new Columns(3000, 1, true);  // its destructor would free a type after MPI_Finalize
  Columns& it = *left;
  MPI_Request request;
  succeeds(MPI_Isend(it.out.data(), 1, it.column, team.rank, tag, own, &request));
  succeeds(MPI_Request_free(&request));
}

// Several messages with the same tag are received in their order, whatever their length.
TEST_RANKS(2, SelfMessages, InTheirOrder) {
  std::vector<std::unique_ptr<Columns>> all;
  std::vector<MPI_Request> requests;
  for (const int n : {5000, 10, 3000, 1, 100, 8000}) all.push_back(std::make_unique<Columns>(n, 2, true));
  for (const auto& each : all) send_later(*each, team, &requests.emplace_back());
  for (const auto& each : all) receive_later(*each, team, &requests.emplace_back());
  std::reverse(requests.begin(), requests.end());
  succeeds(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  for (const auto& each : all) EXPECT_EQ(each->wrong(), 0) << each->n;
}

// A message that is too long fills its receive, and raises an error there.
TEST_RANKS(2, SelfMessages, ThatAreTooLong) {
  const ReturningErrors returning(team.comm);
  Columns it(4000, 2, true);
  std::vector<int> in(1000, -1);
  MPI_Request request;
  send_later(it, team, &request);
  const int code = MPI_Recv(in.data(), 1000, MPI_INT, team.rank, tag, team.comm, MPI_STATUS_IGNORE);
  EXPECT_EQ(error_class(code), MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // some libraries raise the error here, too
}

}  // namespace heddle::test::self_messages_tests
