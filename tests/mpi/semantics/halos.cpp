// Halo exchanges by messages: several receives and sends, and one MPI_Waitall. With one thread,
// Heddle keeps only a small record of such receives (mpi/p2p/landing.hpp).
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "support/completions.hpp"

namespace heddle::test::halos_tests {
namespace {

/// A column of ints, and `count` of these columns that differ.
struct Columns {
  explicit Columns(int n, int count) : ints(n), all(static_cast<std::size_t>(count)) {
    MPI_Type_vector(n, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (std::size_t d = 0; d < all.size(); ++d) all[d].assign(3 * static_cast<std::size_t>(n), static_cast<int>(d) + 1);
  }
  ~Columns() { MPI_Type_free(&type); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
  void send(int d, int to, MPI_Comm comm) const { MPI_Send(all[static_cast<std::size_t>(d)].data(), 1, type, to, d, comm); }

  int ints;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<std::vector<int>> all;
};

}  // namespace

// Four Irecv, four Isend, one Waitall. Some messages are announced, and some are as long as an
// announcement. Each message comes into the program's own buffer.
TEST_RANKS(2, Halos, OfRowsAndColumns) {
  for (const bool bytes : {false, true}) {
    for (const int n : {15, 16, 20, 28, 60, 128, 148, 160, 224, 600, 1184, 5000}) {
      const MPI_Datatype number = bytes ? MPI_BYTE : MPI_DOUBLE;
      const std::size_t size = bytes ? 1 : sizeof(double);
      MPI_Datatype column = MPI_DATATYPE_NULL;
      MPI_Type_vector(n, 1, 3, number, &column);
      MPI_Type_commit(&column);
      const auto length = static_cast<std::size_t>(n);
      for (const bool wanted : {false, true}) {
        for (int round = 0; round < 2; ++round) {
          // Four directions: row to row, column to column, column to row, row to column.
          std::vector<std::vector<unsigned char>> out(4), in(4);
          std::vector<MPI_Request> requests(8, MPI_REQUEST_NULL);
          std::vector<MPI_Status> statuses(8);
          const auto value = [&](int rank, int d, std::size_t i) {
            return static_cast<unsigned char>(static_cast<std::size_t>(rank * 50 + d * 7 + round) + i * 3);
          };
          const auto strided = [](bool is) { return std::size_t{is ? 3U : 1U}; };
          const bool sent_as_column[] = {false, true, true, false};
          const bool received_as_column[] = {false, true, false, true};
          for (std::size_t d = 0; d < 4; ++d) {
            in[d].assign(3 * length * size, 0xEE);
            const bool is = received_as_column[d];
            succeeds(MPI_Irecv(in[d].data(), is ? 1 : n, is ? column : number, 1 - team.rank, static_cast<int>(d), team.comm,
                               &requests[d]));
          }
          for (std::size_t d = 0; d < 4; ++d) {
            out[d].assign(3 * length * size, 0xDD);
            const bool is = sent_as_column[d];
            for (std::size_t i = 0; i < length; ++i)
              std::memset(&out[d][strided(is) * i * size], value(team.rank, static_cast<int>(d), i), size);
            succeeds(MPI_Isend(out[d].data(), is ? 1 : n, is ? column : number, 1 - team.rank, static_cast<int>(d), team.comm,
                               &requests[4 + d]));
          }
          succeeds(MPI_Waitall(8, requests.data(), wanted ? statuses.data() : MPI_STATUSES_IGNORE));
          for (std::size_t d = 0; d < 4; ++d) {
            EXPECT_EQ(requests[d], MPI_REQUEST_NULL);
            EXPECT_EQ(requests[4 + d], MPI_REQUEST_NULL);
            if (wanted) check(&statuses[d], 1 - team.rank, static_cast<int>(d), length * size);
            const std::size_t stride = strided(received_as_column[d]);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < length; ++i)
              for (std::size_t k = 0; k < stride * size && (stride * i * size + k) < in[d].size(); ++k) {
                const unsigned char here = in[d][stride * i * size + k];
                wrong += here != (k < size ? value(1 - team.rank, static_cast<int>(d), i) : 0xEE);
              }
            EXPECT_EQ(wrong, 0U) << n << (bytes ? " bytes" : " doubles") << ", direction " << d;
          }
        }
      }
      MPI_Type_free(&column);
    }
  }
}

// One message of a row is longer than its receive. The library sends it, or it is announced. The
// second round finds the datatype in use.
TEST_RANKS(2, Halos, WithAMessageThatIsTooLong) {
  const ReturningErrors returning(team.comm);
  const ReturningErrors rows_too(MPI_COMM_WORLD), rows_as_well(MPI_COMM_SELF);  // where MPICH raises MPI_ERR_IN_STATUS
  for (const int n : {200, 2000, 4000}) {
    const Columns column(n, 3), half(n / 2, 0);
    for (const bool into_column : {false, true})
      for (int round = 0; round < 2; ++round) {
        if (team.rank == 0) {
          for (const int d : {0, 2}) MPI_Send(column.all[static_cast<std::size_t>(d)].data(), 1, MPI_INT, 1, d, team.comm);
          column.send(1, 1, team.comm);
        } else {
          std::vector<int> in(6 * static_cast<std::size_t>(n), -1);
          const auto at = [&](int d) { return &in[static_cast<std::size_t>(2 * d * n)]; };
          const bool typed = into_column;
          MPI_Request requests[3];
          MPI_Status statuses[3];
          for (const int d : {0, 2}) succeeds(MPI_Irecv(at(d), 100, MPI_INT, 0, d, team.comm, &requests[d]));
          succeeds(MPI_Irecv(at(1), typed ? 1 : n / 2, typed ? half.type : MPI_INT, 0, 1, team.comm, &requests[1]));
          int kind = MPI_SUCCESS;
          MPI_Error_class(MPI_Waitall(3, requests, statuses), &kind);
          EXPECT_EQ(kind, MPI_ERR_IN_STATUS) << n;
          MPI_Error_class(statuses[1].MPI_ERROR, &kind);
          EXPECT_EQ(kind, MPI_ERR_TRUNCATE) << n;
          for (MPI_Request& left : requests)  // the first error may leave others incomplete
            if (left != MPI_REQUEST_NULL) succeeds(MPI_Wait(&left, MPI_STATUS_IGNORE));
          EXPECT_EQ(*at(0), 1);
          EXPECT_EQ(*at(2), 3);
          for (int i = n / 2 * (typed ? 3 : 1); i < 2 * n; ++i) EXPECT_EQ(at(1)[i], -1) << "behind the receive";
        }
        MPI_Barrier(team.comm);
      }
  }
}

// The receives of a row end by calls other than MPI_Waitall, or before it. Long messages are
// announced.
TEST_RANKS(2, Halos, ThatEndByOtherCalls) {
  for (const int n : {60, 100, 2000}) {
    const Columns columns(n, 5);
    enum class End { cancelled, asked, tested, some, any, freed };
    for (const End end : {End::cancelled, End::asked, End::tested, End::some, End::any, End::freed}) {
      if (team.rank == 0) {
        MPI_Barrier(team.comm);
        for (int d = 0; d < (end == End::cancelled ? 3 : 4); ++d) columns.send(d, 1, team.comm);
        columns.send(4, 1, team.comm);
        continue;
      }
      std::vector<std::vector<int>> in(4, std::vector<int>(static_cast<std::size_t>(n), -1));
      MPI_Request requests[4];
      MPI_Status statuses[4];
      for (int d = 0; d < 4; ++d)
        succeeds(MPI_Irecv(in[static_cast<std::size_t>(d)].data(), n, MPI_INT, 0, d, team.comm, &requests[d]));
      if (end == End::freed) succeeds(MPI_Request_free(&requests[2]));
      if (end == End::cancelled) succeeds(MPI_Cancel(&requests[3]));
      MPI_Barrier(team.comm);
      int flag = 0;
      if (end == End::asked)
        while (!flag) succeeds(MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE));
      if (end == End::tested)
        while (!flag) succeeds(MPI_Testall(4, requests, &flag, statuses));
      int done[4];
      for (int left = 4, k = 0; end == End::some && left > 0; left -= k)
        succeeds(MPI_Waitsome(4, requests, &k, done, MPI_STATUSES_IGNORE));
      for (int left = 4, k = 0; end == End::any && left > 0; --left) succeeds(MPI_Waitany(4, requests, &k, MPI_STATUS_IGNORE));
      succeeds(MPI_Waitall(4, requests, statuses));
      for (const MPI_Request each : requests) EXPECT_EQ(each, MPI_REQUEST_NULL);
      if (end == End::asked) check(&statuses[1], 0, 1, static_cast<std::size_t>(n) * sizeof(int));
      if (end == End::cancelled) {
        succeeds(MPI_Test_cancelled(&statuses[3], &flag));
        EXPECT_TRUE(flag);
      }
      std::vector<int> last(static_cast<std::size_t>(n), -1);
      succeeds(MPI_Recv(last.data(), n, MPI_INT, 0, 4, team.comm, MPI_STATUS_IGNORE));
      for (int d = 0; d < 4; ++d)
        EXPECT_EQ(in[static_cast<std::size_t>(d)],
                  std::vector<int>(static_cast<std::size_t>(n), end == End::cancelled && d == 3 ? -1 : d + 1))
            << n << " ints, message " << d << ", end " << static_cast<int>(end);
    }
  }
}

// Up to 40 receives end one by one or in rows, in a random order. Between the calls, the process
// probes, makes a persistent request or another receive, or has freed the communicator.
TEST_RANKS(2, Halos, ThatEndInAnyOrder) {
  constexpr int most = 40;
  for (unsigned round = 0; round < 60; ++round) {
    std::minstd_rand both(round + 1);  // the same on both ranks
    const int count = 1 + static_cast<int>(both() % most);
    const int n = std::array{15, 60, 100, 600, 2000}[both() % 5];
    const bool dies = round % 4 == 3;
    const Columns columns(n, count);
    MPI_Comm comm = team.comm;
    if (dies) succeeds(MPI_Comm_dup(team.comm, &comm));
    std::vector<std::vector<int>> in(static_cast<std::size_t>(count), std::vector<int>(static_cast<std::size_t>(n), -1));
    std::vector<MPI_Request> requests(static_cast<std::size_t>(count), MPI_REQUEST_NULL);
    if (team.rank == 1)
      for (std::size_t d = 0; d < requests.size(); ++d)
        succeeds(MPI_Irecv(in[d].data(), n, MPI_INT, 0, static_cast<int>(d), comm, &requests[d]));
    succeeds(MPI_Barrier(team.comm));
    if (team.rank == 0)
      for (int d = 0; d < count; ++d) columns.send(d, 1, comm);
    if (dies) succeeds(MPI_Comm_free(&comm));
    std::minstd_rand random(round + 100);
    const auto left = [&] { return std::ranges::any_of(requests, [](MPI_Request each) { return each != MPI_REQUEST_NULL; }); };
    std::vector<int> late(static_cast<std::size_t>(n), -1);
    MPI_Request unmatched = MPI_REQUEST_NULL, inactive = MPI_REQUEST_NULL;
    while (left()) {
      const std::size_t first = random() % requests.size();
      const int length = 1 + static_cast<int>(random() % (requests.size() - first));
      std::vector<int> indices(requests.size());
      int flag = 0, done = 0;
      switch (random() % 7) {
        case 0:
          succeeds(MPI_Wait(&requests[first], MPI_STATUS_IGNORE));
          break;
        case 1:
          succeeds(MPI_Test(&requests[first], &flag, MPI_STATUS_IGNORE));
          break;
        case 2:
          succeeds(MPI_Waitall(length, &requests[first], MPI_STATUSES_IGNORE));
          break;
        case 3:
          succeeds(MPI_Waitany(count, requests.data(), &done, MPI_STATUS_IGNORE));
          break;
        case 4:
          succeeds(MPI_Testsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE));
          break;
        case 5:
          succeeds(MPI_Iprobe(MPI_ANY_SOURCE, most + 1, team.comm, &flag, MPI_STATUS_IGNORE));
          break;
        default:
          if (unmatched == MPI_REQUEST_NULL)
            succeeds(MPI_Irecv(late.data(), n, MPI_INT, 1, most, team.comm, &unmatched));
          else if (inactive == MPI_REQUEST_NULL)
            succeeds(MPI_Recv_init(late.data(), n, MPI_INT, 1, most, team.comm, &inactive));
      }
    }
    if (team.rank == 1) {
      for (std::size_t d = 0; d < in.size(); ++d)
        EXPECT_EQ(in[d], std::vector<int>(static_cast<std::size_t>(n), static_cast<int>(d) + 1)) << n << " ints, message " << d;
      if (unmatched != MPI_REQUEST_NULL) {
        succeeds(MPI_Cancel(&unmatched));
        succeeds(MPI_Wait(&unmatched, MPI_STATUS_IGNORE));
      }
      if (inactive != MPI_REQUEST_NULL) succeeds(MPI_Request_free(&inactive));
    }
    succeeds(MPI_Barrier(team.comm));
  }
}

// Persistent receives into the program's buffer, and sends, start and end in rows, or one by one.
// Afterwards they are inactive: MPI_Waitall has empty statuses for them, and looks at no buffer.
// Between near cores, the first sends of a column are Heddle's, and the later ones the host's.
TEST_RANKS(2, Halos, OfPersistentRequests) {
  for (const int n : {60, 100, 2000}) {
    const Columns columns(n, 4);
    std::vector<std::vector<int>> in(4, std::vector<int>(static_cast<std::size_t>(n)));
    std::vector<MPI_Request> requests(8, MPI_REQUEST_NULL);
    for (int d = 0; d < 4; ++d) {
      const auto at = static_cast<std::size_t>(d);
      succeeds(MPI_Recv_init(in[at].data(), n, MPI_INT, 1 - team.rank, d, team.comm, &requests[at]));
      if (d % 2 == 0)
        succeeds(MPI_Send_init(columns.all[at].data(), 1, columns.type, 1 - team.rank, d, team.comm, &requests[4 + at]));
      else
        succeeds(MPI_Send_init(columns.all[at].data(), n, MPI_INT, 1 - team.rank, d, team.comm, &requests[4 + at]));
    }
    for (int round = 0; round < 40; ++round) {
      const int way = round % 4;
      for (auto& each : in) std::ranges::fill(each, -1);
      if (way == 2)  // apart: the host can start all receives of a row
        for (int half = 0; half < 2; ++half) succeeds(MPI_Startall(4, &requests[static_cast<std::size_t>(half) * 4]));
      else
        succeeds(MPI_Startall(8, requests.data()));
      std::vector<MPI_Status> statuses(8);
      if (way == 1)
        for (std::size_t d = 0; d < 4; ++d) succeeds(MPI_Wait(&requests[d], &statuses[d]));
      int flag = 0;
      if (way == 3)
        for (const std::size_t asked : {0U, 4U})
          for (flag = 0; !flag;) succeeds(MPI_Request_get_status(requests[asked], &flag, MPI_STATUS_IGNORE));
      succeeds(MPI_Waitall(way == 1 ? 4 : 8, way == 1 ? &requests[4] : requests.data(),
                           way == 2 ? MPI_STATUSES_IGNORE : statuses.data()));
      for (std::size_t d = 0; d < 4; ++d)
        EXPECT_EQ(in[d], std::vector<int>(static_cast<std::size_t>(n), static_cast<int>(d) + 1))
            << n << " ints, message " << d << ", round " << round;
      succeeds(MPI_Waitall(8, requests.data(), statuses.data()));
      for (const MPI_Status& each : statuses) EXPECT_EQ(each.MPI_SOURCE, MPI_ANY_SOURCE);
    }
    for (MPI_Request& each : requests) succeeds(MPI_Request_free(&each));
  }
}

// A send waits until its message is received, and only then another rank sends the second message
// of the row. The first message must be received although the row is not complete.
TEST_RANKS(3, Halos, WhereASendWaitsForItsMessageAlone) {
  for (const int n : {100, 2000, 8000}) {
    const Columns columns(n, 1);
    int token = -1;
    if (team.rank == 0) {
      std::vector<int> in(static_cast<std::size_t>(n), -1);
      MPI_Request requests[2];
      succeeds(MPI_Irecv(in.data(), n, MPI_INT, 1, 0, team.comm, &requests[0]));
      succeeds(MPI_Irecv(&token, 1, MPI_INT, 2, 1, team.comm, &requests[1]));
      succeeds(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
      EXPECT_EQ(in, std::vector<int>(static_cast<std::size_t>(n), 1));
      EXPECT_EQ(token, n);
    } else if (team.rank == 1) {
      succeeds(MPI_Ssend(columns.all[0].data(), 1, columns.type, 0, 0, team.comm));
      succeeds(MPI_Send(&n, 1, MPI_INT, 2, 2, team.comm));
    } else {
      succeeds(MPI_Recv(&token, 1, MPI_INT, 1, 2, team.comm, MPI_STATUS_IGNORE));
      succeeds(MPI_Send(&token, 1, MPI_INT, 0, 1, team.comm));
    }
  }
}

// The row has a request that is active, so the library refuses the row. Its receive is inactive
// then. It can be started by itself, and brings an announced message.
TEST_RANKS(2, Halos, ThatCannotAllStart) {
  const ReturningErrors returning(team.comm);
  const ReturningErrors rows_too(MPI_COMM_WORLD), rows_as_well(MPI_COMM_SELF);
  constexpr int n = 2000;
  const Columns columns(n, 1);
  if (team.rank == 0) {
    MPI_Barrier(team.comm);
    columns.send(0, 1, team.comm);
    MPI_Barrier(team.comm);
    return;
  }
  std::vector<int> in(n, -1);
  int token = 0;
  MPI_Request requests[2];
  succeeds(MPI_Recv_init(in.data(), n, MPI_INT, 0, 0, team.comm, &requests[0]));
  succeeds(MPI_Recv_init(&token, 1, MPI_INT, 0, 9, team.comm, &requests[1]));
  succeeds(MPI_Start(&requests[1]));
  EXPECT_NE(MPI_Startall(2, requests), MPI_SUCCESS);
  succeeds(MPI_Start(&requests[0]));
  MPI_Barrier(team.comm);
  succeeds(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  EXPECT_EQ(in, std::vector<int>(n, 1));
  succeeds(MPI_Cancel(&requests[1]));
  succeeds(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  for (MPI_Request& each : requests) succeeds(MPI_Request_free(&each));
  MPI_Barrier(team.comm);
}

}  // namespace heddle::test::halos_tests
