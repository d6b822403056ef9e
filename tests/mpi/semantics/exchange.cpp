// Collectives that Heddle carries out pair by pair (src/mpi/exchange): blocks so large that they
// are announced, ranks that are neighbours several times, ranks that come late, and thousands of
// communicators.
#include <algorithm>

#include "support/pmpi_spy.hpp"
#include "support/rounds.hpp"

namespace heddle::test::exchange_tests {
namespace {

/// `count` columns of a matrix of ints, with one int of `width` in each row. A column has rows * 4
/// bytes when packed.
MPI_Datatype column_of(int rows, int width) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, width, MPI_INT, &column);
  MPI_Type_commit(&column);
  return column;
}

int value(int from, int to, int row) { return from * 1'000'000 + to * 10'000 + row % 10'000; }

/// Each rank sends a column to every other rank, which receives it as a row. Or the other way
/// round.
void columns(MPI_Comm comm, int rows, bool to_rows) {
  int me = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  MPI_Datatype column = column_of(rows, ranks);
  std::vector<int> sent(static_cast<std::size_t>(rows) * static_cast<std::size_t>(ranks));
  std::vector<int> got(sent.size(), -1);
  const auto at = [&](bool by_rows, int rank, int row) {
    return static_cast<std::size_t>(by_rows ? rank * rows + row : row * ranks + rank);
  };
  for (int to = 0; to < ranks; ++to)
    for (int row = 0; row < rows; ++row) sent[at(!to_rows, to, row)] = value(me, to, row);
  std::vector<int> counts_column(static_cast<std::size_t>(ranks), 1);
  std::vector<int> counts_row(static_cast<std::size_t>(ranks), rows);
  std::vector<int> places_column(static_cast<std::size_t>(ranks));
  std::vector<int> places_row(static_cast<std::size_t>(ranks));
  std::vector<MPI_Datatype> types_column(static_cast<std::size_t>(ranks), column);
  std::vector<MPI_Datatype> types_row(static_cast<std::size_t>(ranks), MPI_INT);
  for (int i = 0; i < ranks; ++i) {
    places_column[static_cast<std::size_t>(i)] = i * 4;
    places_row[static_cast<std::size_t>(i)] = i * rows * 4;
  }
  if (to_rows)
    EXPECT_EQ(MPI_Alltoallw(sent.data(), counts_column.data(), places_column.data(), types_column.data(), got.data(),
                            counts_row.data(), places_row.data(), types_row.data(), comm),
              MPI_SUCCESS);
  else
    EXPECT_EQ(MPI_Alltoallw(sent.data(), counts_row.data(), places_row.data(), types_row.data(), got.data(),
                            counts_column.data(), places_column.data(), types_column.data(), comm),
              MPI_SUCCESS);
  bool right = true;
  for (int from = 0; from < ranks; ++from)
    for (int row = 0; row < rows; ++row) right &= got[at(to_rows, from, row)] == value(from, me, row);
  EXPECT_TRUE(right) << rows << " rows on " << ranks << " ranks, " << (to_rows ? "columns to rows" : "rows to columns");
  MPI_Type_free(&column);
}

}  // namespace

// Blocks of a few bytes up to blocks that are announced and left open, several times. Receivers
// come to ask for pieces that they scatter.
TEST_EACH_RANKS(2, 8, Exchange, ColumnsOfAllSizes) {
  for (const int rows : {1, 100, 1'025, 5'000, 70'000})
    for (int round = 0; round < 4; ++round) columns(team.comm, rows, round % 2 == 0);
}

TEST_EACH_RANKS(2, 8, Exchange, OnReorderedAndSplitCommunicators) {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(team.comm, 0, -team.rank, &reversed);
  MPI_Comm_split(team.comm, team.rank % 2, team.rank, &half);
  for (const int rows : {10, 3'000}) {
    columns(reversed, rows, true);
    columns(half, rows, false);
    columns(team.comm, rows, true);
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

// Heddle must not keep context ids: these communicators would use up the host's (MPICH 5.0.2:
// 2048).
TEST_RANKS(2, Exchange, ThousandsOfCommunicators) {
  for (int i = 0; i < 3'000; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(team.comm, &comm), MPI_SUCCESS) << i;
    columns(comm, 3, true);
    MPI_Comm_free(&comm);
  }
}

// The communicators live at the same time. Heddle leaves the program nearly all of the host's
// context ids.
TEST_RANKS(2, Exchange, ThousandCommunicatorsAlive) {
  std::vector<MPI_Comm> all(1'200, MPI_COMM_NULL);
  for (MPI_Comm& comm : all) {
    ASSERT_EQ(MPI_Comm_dup(team.comm, &comm), MPI_SUCCESS);
    columns(comm, 2, true);
  }
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
}

// The k-th block to a rank is its k-th block from this rank, whatever their sizes. A rank may be
// its own neighbour.
TEST_EACH_RANKS(1, 4, Exchange, NeighboursSeveralTimes) {
  std::vector<int> around;
  for (int k = 0; k < 3; ++k)
    for (int rank = 0; rank < team.size; ++rank) around.push_back(rank);
  MPI_Comm comm = MPI_COMM_NULL;
  const int degree = static_cast<int>(around.size());
  MPI_Dist_graph_create_adjacent(team.comm, degree, around.data(), MPI_UNWEIGHTED, degree, around.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  // A long block, nothing, a short block. While the first is under way, the last must not overtake
  // it into its place.
  const int sizes[] = {20'000, 0, 5};
  std::vector<int> counts, places, sent, got;
  int total = 0;
  for (int i = 0; i < degree; ++i) {
    counts.push_back(sizes[i / team.size]);
    places.push_back(total);
    total += counts.back();
    for (int j = 0; j < counts.back(); ++j) sent.push_back(team.rank * 100 + i);
  }
  sent.push_back(0);
  got.resize(sent.size(), -1);
  EXPECT_EQ(MPI_Neighbor_alltoallv(sent.data(), counts.data(), places.data(), MPI_INT, got.data(), counts.data(), places.data(),
                                   MPI_INT, comm),
            MPI_SUCCESS);
  for (int i = 0; i < degree; ++i) {
    const int edge = i / team.size * team.size + team.rank;  // the sender's number of this edge
    const auto begin = got.begin() + places[static_cast<std::size_t>(i)];
    EXPECT_TRUE(std::all_of(begin, begin + counts[static_cast<std::size_t>(i)],
                            [&](int is) { return is == around[static_cast<std::size_t>(i)] * 100 + edge; }))
        << "block " << i;
  }
  MPI_Comm_free(&comm);
}

TEST_RANKS(2, Exchange, TooLongABlockIsTruncated) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts differ in what they call it";
  const ReturningErrors returning(team.comm);
  // Heddle may leave ints in one piece to the library, and Open MPI 5.0.11 writes too many of them,
  // beyond the block.
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_other);
  MPI_Type_commit(&every_other);
  std::vector<int> sent(40'000, 7), got(40'000, -1);
  const int more[] = {0, 20'000};
  const int less[] = {0, 10'000};
  const int none[] = {0, 0};
  const int* sends = team.rank == 0 ? more : none;
  const int receives[] = {team.rank == 1 ? less[1] : 0, 0};
  const int result = MPI_Alltoallv(sent.data(), sends, none, every_other, got.data(), receives, none, every_other, team.comm);
  EXPECT_EQ(error_class(result), team.rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  EXPECT_EQ(got[20'000], -1);
  MPI_Type_free(&every_other);
}

// In the ring, rank 3 enters after ranks 0 and 1 have left, which exchange nothing with it. The
// standard allows them to wait for it. Heddle does not wait (Balaji et al. 2007, §4.2: skew spreads
// through messages without content).
TEST_RANKS(6, Exchange, ALateRankDelaysNobodyButItsNeighbours) {
  if (expected() != Expected::on) GTEST_SKIP() << "of the host alone";
  const auto ring = [&](MPI_Comm comm) {
    constexpr int length = 2'000;
    MPI_Datatype column = column_of(length, 3);
    std::vector<int> sent(3 * length, team.rank), got(6 * length, -1);
    std::vector<int> counts(6, 0), sends(6, 0), receives(6, 0);
    std::vector<MPI_Datatype> types(6, column);
    const int left = (team.rank + 5) % 6;
    const int right = (team.rank + 1) % 6;
    counts[static_cast<std::size_t>(left)] = counts[static_cast<std::size_t>(right)] = 1;
    receives[static_cast<std::size_t>(right)] = 3 * length * 4;
    EXPECT_EQ(MPI_Alltoallw(sent.data(), counts.data(), sends.data(), types.data(), got.data(), counts.data(), receives.data(),
                            types.data(), comm),
              MPI_SUCCESS);
    EXPECT_EQ(got[0], left);
    EXPECT_EQ(got[3 * length], right);
    MPI_Type_free(&column);
  };
  ring(team.comm);  // together: this call makes the objects that are needed once
  int word = 0;
  if (team.rank == 3) {
    MPI_Recv(&word, 1, MPI_INT, 0, 5, team.comm, MPI_STATUS_IGNORE);
    MPI_Recv(&word, 1, MPI_INT, 1, 5, team.comm, MPI_STATUS_IGNORE);
  }
  ring(team.comm);
  if (team.rank < 2) MPI_Send(&word, 1, MPI_INT, 3, 5, team.comm);
}

// Ranks without neighbours take part all the same, so the host's own counts stay equal on all
// ranks.
TEST_EACH_RANKS(2, 4, Exchange, RanksWithoutNeighbours) {
  const std::vector<int> next = {team.rank + 1};
  const std::vector<int> last = {team.rank - 1};
  const int sends = team.rank == 0 ? 1 : 0;  // only from 0 to 1
  const int receives = team.rank == 1 ? 1 : 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(team.comm, receives, last.data(), MPI_UNWEIGHTED, sends, next.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  for (int round = 0; round < 3; ++round) {
    const int count = 1;
    const MPI_Aint place = 0;
    const MPI_Datatype type = MPI_INT;
    const int word = 40 + round;
    int got = -1;
    EXPECT_EQ(
        MPI_Neighbor_alltoallw(&word, sends ? &count : nullptr, sends ? &place : nullptr, sends ? &type : nullptr, &got,
                               receives ? &count : nullptr, receives ? &place : nullptr, receives ? &type : nullptr, comm),
        MPI_SUCCESS);
    EXPECT_EQ(got, receives ? word : -1);
    int sum = 0;
    const int one = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, team.size);
  }
  MPI_Comm_free(&comm);
}

}  // namespace heddle::test::exchange_tests
