// A rank's buffers and types, or its lack of elements, change nothing for other ranks of a
// collective. Examples are one buffer for both sides, null types without elements, and a mistake
// that its host reports.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::one_rank_sees_tests {
namespace {

/// Blocks of `each` ints, one for each rank, in a buffer of this rank, with their arrays.
class Blocks {
 public:
  Blocks(const Team& team, int each)
      : ints(static_cast<std::size_t>(team.size * each), -1),
        none(static_cast<std::size_t>(team.size), 0),
        counts(static_cast<std::size_t>(team.size), each),
        places(static_cast<std::size_t>(team.size)),
        each_(each) {
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * each;
  }
  void say(int block, int word) { std::fill_n(ints.begin() + block * each_, each_, word); }
  [[nodiscard]] bool said(int block, int word) const {
    return std::all_of(ints.begin() + block * each_, ints.begin() + (block + 1) * each_, [=](int i) { return i == word; });
  }
  std::vector<int> ints, none, counts, places;

 private:
  int each_;
};

#if defined(OPEN_MPI)
constexpr bool host_takes_one_buffer_for_in_place = true;
#else
constexpr bool host_takes_one_buffer_for_in_place = false;
#endif

constexpr int lengths[] = {1, 2000, 30'000};

/// Both sides have the same displacements and types. MPICH 5.0.2 takes that for one place only if
/// the counts are one array, too.
template <class Exchange>
void to_one_rank(const Team& team, const Exchange& exchange) {
  for (const int length : lengths) {
    Blocks to(team, length);
    Blocks from(team, length);
    const bool gets = team.rank == 0;
    Blocks& out = gets ? from : to;  // the receiver sends nothing, from its receive buffer
    out.say(0, team.rank);
    std::vector<int> sends(static_cast<std::size_t>(team.size), 0);
    std::vector<int> receives(sends.size(), 0);
    if (gets)
      std::fill(receives.begin() + 1, receives.end(), length);
    else
      sends[0] = length;
    EXPECT_EQ(exchange(out, sends, from, receives), MPI_SUCCESS);
    for (int i = 1; gets && i < team.size; ++i) EXPECT_TRUE(from.said(i, i)) << length << " ints of " << i;
  }
}

int wait(int error, MPI_Request& request) { return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error; }

}  // namespace

TEST_RANKS(3, OneRankSees, OneBufferWithNothingToSend) {
  to_one_rank(team, [&](Blocks& out, std::vector<int>& sends, Blocks& in, std::vector<int>& receives) {
    return MPI_Alltoallv(out.ints.data(), sends.data(), in.places.data(), MPI_INT, in.ints.data(), receives.data(),
                         in.places.data(), MPI_INT, team.comm);
  });
  // Open MPI 5.0.11 takes one buffer for MPI_IN_PLACE in non-blocking calls, and waits for ever.
  const bool hosts_in_place = host_takes_one_buffer_for_in_place && expected() != Expected::on;
  if (!hosts_in_place)
    to_one_rank(team, [&](Blocks& out, std::vector<int>& sends, Blocks& in, std::vector<int>& receives) {
      MPI_Request request = MPI_REQUEST_NULL;
      const int error = MPI_Ialltoallv(out.ints.data(), sends.data(), in.places.data(), MPI_INT, in.ints.data(),
                                       receives.data(), in.places.data(), MPI_INT, team.comm, &request);
      return wait(error, request);
    });
  to_one_rank(team, [&](Blocks& out, std::vector<int>& sends, Blocks& in, std::vector<int>& receives) {
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(team.size), MPI_INT);
    std::vector<int> places = in.places;
    for (int& place : places) place *= 4;
    return MPI_Alltoallw(out.ints.data(), sends.data(), places.data(), types.data(), in.ints.data(), receives.data(),
                         places.data(), types.data(), team.comm);
  });
}

TEST_RANKS(3, OneRankSees, OneBufferWithNothingToGather) {
  for (const int length : lengths)
    for (const bool blocking : {true, false}) {
      Blocks mine(team, length);
      Blocks all(team, length);
      all.counts[0] = 0;
      mine.say(0, team.rank);
      const bool nothing = team.rank == 0;
      const void* sent = nothing ? all.ints.data() : mine.ints.data();
      MPI_Request request = MPI_REQUEST_NULL;
      const int count = nothing ? 0 : length;
      if (blocking)
        EXPECT_EQ(
            MPI_Allgatherv(sent, count, MPI_INT, all.ints.data(), all.counts.data(), all.places.data(), MPI_INT, team.comm),
            MPI_SUCCESS);
      else
        EXPECT_EQ(wait(MPI_Iallgatherv(sent, count, MPI_INT, all.ints.data(), all.counts.data(), all.places.data(), MPI_INT,
                                       team.comm, &request),
                       request),
                  MPI_SUCCESS);
      for (int i = 1; i < team.size; ++i) EXPECT_TRUE(all.said(i, i)) << length << " ints of " << i;
      EXPECT_TRUE(all.said(0, -1));
    }
}

/// Rank 0 sends nothing by mistake, although the others expect its block. Hosts let it pass, and no
/// rank waits for ever.
TEST_RANKS(3, OneRankSees, NothingToGatherByMistake) {
  constexpr int length = 30'000;
  Blocks mine(team, length);
  Blocks all(team, length);
  mine.say(0, team.rank);
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(wait(MPI_Iallgatherv(mine.ints.data(), team.rank == 0 ? 0 : length, MPI_INT, all.ints.data(), all.counts.data(),
                                 all.places.data(), MPI_INT, team.comm, &request),
                 request),
            MPI_SUCCESS);
  for (int i = 1; i < team.size; ++i) EXPECT_TRUE(all.said(i, i));
}

/// One rank has nothing to exchange, and null types. The others leave it out. Open MPI 5.0.11
/// refuses null types, even without elements.
#if !defined(OPEN_MPI)
TEST_RANKS(3, OneRankSees, NullTypesOfNothing) {
  for (int turn = 0; turn < 6; ++turn) {
    const bool idle = team.rank == 1;
    Blocks out(team, 1000);
    Blocks in(team, 1000);
    std::vector<MPI_Datatype> types(static_cast<std::size_t>(team.size), MPI_INT);
    std::vector<int> places = in.places;
    for (int& place : places) place *= 4;
    for (int i = 0; i < team.size; ++i) out.say(i, team.rank);
    out.counts[1] = in.counts[1] = 0;
    if (idle) {
      out.counts = in.counts = in.none;
      std::ranges::fill(types, MPI_DATATYPE_NULL);
    }
    EXPECT_EQ(MPI_Alltoallw(out.ints.data(), out.counts.data(), places.data(), types.data(), in.ints.data(), in.counts.data(),
                            places.data(), types.data(), team.comm),
              MPI_SUCCESS);
    for (const int from : {0, 2}) EXPECT_TRUE(idle || in.said(from, from));
  }
}
#endif

/// A rank refuses its own type that is not committed, and the other ranks do not hear of it.
TEST_RANKS(2, OneRankSees, MistakesBeforeAWord) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(team.comm, 0, team.rank, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Datatype raw = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
  if (team.rank == 0) {  // alone: the other rank makes none of these calls
    Blocks out(team, 1000);
    Blocks in(team, 1000);
    std::vector<int> bad = in.counts;
    bad[1] = -1;
    const std::vector<MPI_Datatype> raws(2, raw);
    const std::vector<MPI_Datatype> ints(2, MPI_INT);
    MPI_Request request = MPI_REQUEST_NULL;
    const auto alltoallv = [&](const std::vector<int>& counts, MPI_Datatype sent, MPI_Datatype received) {
      return error_class(MPI_Alltoallv(out.ints.data(), counts.data(), out.places.data(), sent, in.ints.data(),
                                       in.counts.data(), in.places.data(), received, comm));
    };
    EXPECT_EQ(alltoallv(in.counts, raw, MPI_INT), MPI_ERR_TYPE);
    EXPECT_EQ(alltoallv(in.counts, MPI_INT, raw), MPI_ERR_TYPE);
    EXPECT_EQ(alltoallv(in.none, raw, MPI_INT), MPI_ERR_TYPE);
    EXPECT_EQ(alltoallv(bad, MPI_INT, MPI_INT), MPI_ERR_COUNT);
    EXPECT_EQ(error_class(MPI_Alltoallw(out.ints.data(), out.counts.data(), out.places.data(), raws.data(), in.ints.data(),
                                        in.counts.data(), in.places.data(), ints.data(), comm)),
              MPI_ERR_TYPE);
    EXPECT_EQ(error_class(MPI_Alltoall(out.ints.data(), 2000, raw, in.ints.data(), 2000, MPI_INT, comm)), MPI_ERR_TYPE);
    EXPECT_EQ(error_class(MPI_Allgatherv(out.ints.data(), 1000, raw, in.ints.data(), in.counts.data(), in.places.data(),
                                         MPI_INT, comm)),
              MPI_ERR_TYPE);
    EXPECT_EQ(error_class(MPI_Iallgatherv(out.ints.data(), 1000, raw, in.ints.data(), in.counts.data(), in.places.data(),
                                          MPI_INT, comm, &request)),
              MPI_ERR_TYPE);
    EXPECT_EQ(error_class(MPI_Ialltoallv(out.ints.data(), in.counts.data(), out.places.data(), raw, in.ints.data(),
                                         in.counts.data(), in.places.data(), MPI_INT, comm, &request)),
              MPI_ERR_TYPE);
#if defined(OPEN_MPI)
    EXPECT_EQ(alltoallv(in.none, MPI_DATATYPE_NULL, MPI_INT), MPI_ERR_TYPE);
    const std::vector<MPI_Datatype> nulls(2, MPI_DATATYPE_NULL);
    EXPECT_EQ(error_class(MPI_Alltoallw(out.ints.data(), in.none.data(), out.places.data(), nulls.data(), in.ints.data(),
                                        in.none.data(), in.places.data(), ints.data(), comm)),
              MPI_ERR_TYPE);
#else  // Open MPI accepts one buffer, and MPICH null types without elements
    EXPECT_EQ(error_class(MPI_Alltoallv(in.ints.data(), in.counts.data(), in.places.data(), MPI_INT, in.ints.data(),
                                        in.counts.data(), in.places.data(), MPI_INT, comm)),
              MPI_ERR_BUFFER);
#endif
  }
  MPI_Type_free(&raw);
  // The communicator works as before.
  Blocks out(team, 1000);
  Blocks in(team, 1000);
  for (int i = 0; i < team.size; ++i) out.say(i, team.rank);
  EXPECT_EQ(MPI_Alltoallv(out.ints.data(), out.counts.data(), out.places.data(), MPI_INT, in.ints.data(), in.counts.data(),
                          in.places.data(), MPI_INT, comm),
            MPI_SUCCESS);
  for (int i = 0; i < team.size; ++i) EXPECT_TRUE(in.said(i, i));
  MPI_Comm_free(&comm);
}

}  // namespace heddle::test::one_rank_sees_tests
