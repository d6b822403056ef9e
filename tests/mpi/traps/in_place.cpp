// Non-blocking exchanges in place, with empty blocks. Open MPI 5.0.11 gets some of them right with
// the program's types and wrong with packed bytes.
#include <vector>

#include "traps/large.hpp"

namespace heddle::test::in_place_tests {
namespace {

/// The ints between each two ranks, and of each rank with itself.
constexpr int volumes[4][4] = {{80, 0, 252, 39528}, {0, 45, 39528, 39528}, {252, 39528, 0, 39528}, {39528, 39528, 39528, 0}};
constexpr int stride = 3;

int number(int from, int to, int i) { return from * 1'000'003 + to * 10'007 + i; }

}  // namespace

TEST_RANKS(4, InPlace, EmptyBlocksAmongVectors) {
  const int me = team.rank;
  MPI_Comm fresh = MPI_COMM_NULL;  // Heddle has made no collective on it
  MPI_Comm_dup(team.comm, &fresh);
  std::vector<int> counts, displacements;
  std::vector<MPI_Datatype> types;
  int end = 0;
  for (const int volume : volumes[me]) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(volume, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    counts.push_back(volume > 0 ? 1 : 0);
    displacements.push_back(end * static_cast<int>(sizeof(int)));
    types.push_back(type);
    end += volume * stride + 4;
  }
  std::vector<int> data(static_cast<std::size_t>(end), -1);
  const auto at = [&](int rank, int i) -> int& {
    return data[static_cast<std::size_t>(displacements[static_cast<std::size_t>(rank)]) / sizeof(int) +
                static_cast<std::size_t>(i) * stride];
  };
  for (int rank = 0; rank < 4; ++rank)
    for (int i = 0; i < volumes[me][rank]; ++i) at(rank, i) = number(me, rank, i);

  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, data.data(), counts.data(), displacements.data(), types.data(), fresh,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int rank = 0; rank < 4; ++rank) {
    int wrong = 0;
    for (int i = 0; i < volumes[me][rank]; ++i) wrong += at(rank, i) != number(rank, me, i);
    EXPECT_EQ(wrong, 0) << "of the block from " << rank;
  }
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
  MPI_Comm_free(&fresh);
}

}  // namespace heddle::test::in_place_tests
