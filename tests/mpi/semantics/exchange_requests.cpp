// Non-blocking and persistent exchanges that Heddle carries out pair by pair. Several are in
// flight, and end in any order by every call. Their types may be freed meanwhile. Persistent
// exchanges of short blocks start many times, while ranks come late.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>

#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::exchange_requests_tests {
namespace {

/// One MPI_Ialltoallw or MPI_Alltoallw_init: each rank sends a column of `rows` ints to every rank,
/// which receives it as a row.
class Columns {
 public:
  Columns(const Team& team, int rows) : team_(team), rows_(rows), n_(static_cast<std::size_t>(team.size)) {
    MPI_Type_vector(rows, 1, team.size, MPI_INT, &column_);
    MPI_Type_commit(&column_);
    sent_.resize(static_cast<std::size_t>(rows) * n_);
    got_.assign(sent_.size(), -1);
    for (int i = 0; i < team.size; ++i) {
      ones_.push_back(1);
      rows_of_.push_back(rows);
      columns_at_.push_back(i * 4);
      rows_at_.push_back(i * rows * 4);
      columns_.push_back(column_);
      ints_.push_back(MPI_INT);
    }
  }
  ~Columns() { free_type(); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  void fill(int salt) {
    salt_ = salt;
    for (int row = 0; row < rows_; ++row)
      for (int to = 0; to < team_.size; ++to)
        sent_[static_cast<std::size_t>(row) * n_ + static_cast<std::size_t>(to)] = value(team_.rank, to, row);
    std::ranges::fill(got_, -1);
  }
  void begin(MPI_Request* request) {
    EXPECT_EQ(MPI_Ialltoallw(sent_.data(), ones_.data(), columns_at_.data(), columns_.data(), got_.data(), rows_of_.data(),
                             rows_at_.data(), ints_.data(), team_.comm, request),
              MPI_SUCCESS);
  }
  void block() {
    EXPECT_EQ(MPI_Alltoallw(sent_.data(), ones_.data(), columns_at_.data(), columns_.data(), got_.data(), rows_of_.data(),
                            rows_at_.data(), ints_.data(), team_.comm),
              MPI_SUCCESS);
  }
  void keep(MPI_Request* request) {
    EXPECT_EQ(MPI_Alltoallw_init(sent_.data(), ones_.data(), columns_at_.data(), columns_.data(), got_.data(), rows_of_.data(),
                                 rows_at_.data(), ints_.data(), team_.comm, MPI_INFO_NULL, request),
              MPI_SUCCESS);
  }
  void free_type() {
    if (column_ != MPI_DATATYPE_NULL) MPI_Type_free(&column_);
  }
  [[nodiscard]] bool right() const {
    for (int from = 0; from < team_.size; ++from)
      for (int row = 0; row < rows_; ++row)
        if (got_[static_cast<std::size_t>(from) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)] !=
            value(from, team_.rank, row))
          return false;
    return true;
  }

 private:
  [[nodiscard]] int value(int from, int to, int row) const { return salt_ * 1'000'003 + from * 10'007 + to * 101 + row; }

  Team team_;
  int rows_;
  std::size_t n_;
  int salt_ = 0;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  std::vector<int> sent_, got_, ones_, rows_of_, columns_at_, rows_at_;
  std::vector<MPI_Datatype> columns_, ints_;
};

/// From blocks that go with the envelope to blocks that are left open.
constexpr int sizes[] = {3, 700, 2'000, 50'000};

/// Open MPI 5.0.11 alone crashes in a persistent collective whose types or communicator have been
/// freed.
bool outlive() {
#if defined(OPEN_MPI)
  return expected() == Expected::on;
#else
  return true;
#endif
}

/// A blocking call makes the objects that a communicator needs once.
void warm(const Team& team) {
  Columns first(team, 2);
  first.fill(9);
  first.block();
  EXPECT_TRUE(first.right());
}

}  // namespace

TEST_EACH_RANKS(2, 8, ExchangeRequests, SeveralInFlightEndInAnyOrder) {
  warm(team);
  std::vector<std::unique_ptr<Columns>> all;
  MPI_Request requests[4];
  for (int round = 0; round < 4; ++round) {
    all.clear();
    for (int i = 0; i < 4; ++i) {
      all.push_back(std::make_unique<Columns>(team, sizes[(i + round) % 4]));
      all.back()->fill(round * 4 + i);
      all.back()->begin(&requests[i]);
      if (round % 2) all.back()->free_type();
    }
    for (int i = 0; i < 4; ++i) {  // each rank in an order of its own
      const int which = (i * 3 + team.rank + round) % 4;
      EXPECT_EQ(MPI_Wait(&requests[which], MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(requests[which], MPI_REQUEST_NULL);
      EXPECT_TRUE(all[static_cast<std::size_t>(which)]->right()) << which;
    }
  }
}

// A blocking call of the host does not delay the blocks that other ranks wait for.
TEST_RANKS(3, ExchangeRequests, OneRankSitsInABarrierMeanwhile) {
  warm(team);
  Columns columns(team, 60'000);
  columns.fill(1);
  MPI_Request request = MPI_REQUEST_NULL;
  columns.begin(&request);
  if (team.rank == 1) {
    MPI_Barrier(team.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(team.comm);
  }
  EXPECT_TRUE(columns.right());
}

TEST_EACH_RANKS(2, 4, ExchangeRequests, EndByEveryCall) {
  warm(team);
  for (int call = 0; call < 9; ++call) {
    Columns a(team, sizes[call % 4]), b(team, sizes[(call + 1) % 4]);
    a.fill(call);
    b.fill(call + 100);
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int word = 0;
    MPI_Irecv(&word, 1, MPI_INT, team.rank, 77, team.comm, &requests[1]);  // a request of the host between them
    a.begin(&requests[0]);
    b.begin(&requests[2]);
    MPI_Send(&call, 1, MPI_INT, team.rank, 77, team.comm);
    MPI_Status statuses[3];
    int indices[3];
    int index = 0;
    int n = 0;
    int flag = 0;
    switch (call) {
      case 0:
        EXPECT_EQ(MPI_Waitall(3, requests, statuses), MPI_SUCCESS);
        EXPECT_EQ(statuses[1].MPI_TAG, 77);
        break;
      case 1:
        for (int i = 0; i < 3; ++i) EXPECT_EQ(MPI_Waitany(3, requests, &index, statuses), MPI_SUCCESS);
        break;
      case 2:
        for (int ended = 0; ended < 3; ended += n) EXPECT_EQ(MPI_Waitsome(3, requests, &n, indices, statuses), MPI_SUCCESS);
        break;
      case 3:
        while (!flag) EXPECT_EQ(MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        break;
      case 4:
        for (int ended = 0; ended < 3; ended += flag) EXPECT_EQ(MPI_Testany(3, requests, &index, &flag, statuses), MPI_SUCCESS);
        break;
      case 5:
        for (int ended = 0; ended < 3; ended += n) EXPECT_EQ(MPI_Testsome(3, requests, &n, indices, statuses), MPI_SUCCESS);
        break;
      case 6:
        for (MPI_Request& request : requests)
          for (flag = 0; !flag;) EXPECT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        break;
      case 7:
        while (!flag) EXPECT_EQ(MPI_Request_get_status(requests[2], &flag, statuses), MPI_SUCCESS);
        EXPECT_TRUE(b.right());
        EXPECT_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        break;
      default:
        EXPECT_EQ(MPI_Wait(&requests[2], MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
    for (const MPI_Request& request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL) << "call " << call;
    EXPECT_TRUE(a.right() && b.right()) << "call " << call;
    EXPECT_EQ(word, call);
  }
}

TEST_EACH_RANKS(2, 8, ExchangeRequests, StartedAgainAndAgain) {
  for (const int rows : sizes) {
    Columns columns(team, rows), others(team, 5);
    MPI_Request requests[2];
    columns.keep(&requests[0]);
    others.keep(&requests[1]);
    if (outlive()) columns.free_type();
    for (int round = 0; round < 6; ++round) {
      columns.fill(round);
      others.fill(-round);
      EXPECT_EQ(MPI_Startall(2, requests), MPI_SUCCESS);
      if (round % 2)
        EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
      else
        for (int i = 1; i >= 0; --i) EXPECT_EQ(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_NE(requests[0], MPI_REQUEST_NULL);
      EXPECT_TRUE(columns.right()) << rows << " rows, round " << round;
      EXPECT_TRUE(others.right());
    }
    int flag = 0;
    EXPECT_EQ(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);  // inactive
    EXPECT_EQ(flag, 1);
    for (MPI_Request& request : requests) {
      EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
  }
}

namespace {

/// MPI_Alltoallw in place: `ints` ints with holes to every rank, and each rank's answer in the same
/// places.
class Swapped {
 public:
  Swapped(const Team& team, int ints) : team_(team), ints_(ints) {
    MPI_Type_create_resized(MPI_INT, 0, 8, &spaced_);
    MPI_Type_commit(&spaced_);
    const auto n = static_cast<std::size_t>(team.size);
    data_.resize(2 * n * static_cast<std::size_t>(ints));
    counts_.assign(n, ints), types_.assign(n, spaced_);
    for (int i = 0; i < team.size; ++i) at_.push_back(i * ints * 8);
  }
  ~Swapped() { free_type(); }
  Swapped(const Swapped&) = delete;
  Swapped& operator=(const Swapped&) = delete;

  void free_type() {
    if (spaced_ != MPI_DATATYPE_NULL) MPI_Type_free(&spaced_);
  }
  void fill(int salt) {
    salt_ = salt;
    for (int to = 0; to < team_.size; ++to)
      for (int i = 0; i < ints_; ++i) at(to, i) = value(team_.rank, to, i), (&at(to, i))[1] = -salt;
  }
  void begin(MPI_Request* request) {
    EXPECT_EQ(MPI_Ialltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, data_.data(), counts_.data(), at_.data(), types_.data(),
                             team_.comm, request),
              MPI_SUCCESS);
  }
  void keep(MPI_Request* request) {
    EXPECT_EQ(MPI_Alltoallw_init(MPI_IN_PLACE, nullptr, nullptr, nullptr, data_.data(), counts_.data(), at_.data(),
                                 types_.data(), team_.comm, MPI_INFO_NULL, request),
              MPI_SUCCESS);
  }
  [[nodiscard]] bool right() {
    for (int from = 0; from < team_.size; ++from)
      for (int i = 0; i < ints_; ++i)
        if (at(from, i) != value(from, team_.rank, i) || (&at(from, i))[1] != -salt_) return false;
    return true;
  }

 private:
  int& at(int block, int i) {
    return data_[2 * (static_cast<std::size_t>(block) * static_cast<std::size_t>(ints_) + static_cast<std::size_t>(i))];
  }
  [[nodiscard]] int value(int from, int to, int i) const { return salt_ * 1'000'003 + from * 10'007 + to * 101 + i; }

  Team team_;
  int ints_;
  int salt_ = 0;
  MPI_Datatype spaced_ = MPI_DATATYPE_NULL;
  std::vector<int> data_, counts_, at_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace

TEST_EACH_RANKS(2, 8, ExchangeRequests, InPlaceTwoInFlight) {
  warm(team);
  for (int round = 0; round < 8; ++round) {
    Swapped one(team, sizes[round % 4]), other(team, sizes[(round + 1) % 4]);
    MPI_Request requests[2];
    one.fill(round), other.fill(round + 50);
    one.begin(&requests[0]), other.begin(&requests[1]);
    if (outlive()) one.free_type(), other.free_type();
    const int first = (team.rank + round) % 2;
    for (const int which : {first, 1 - first}) {
      EXPECT_EQ(MPI_Wait(&requests[which], MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_TRUE(which == 0 ? one.right() : other.right()) << "round " << round;
    }
  }
}

TEST_EACH_RANKS(2, 8, ExchangeRequests, InPlaceAgainAndAgain) {
  for (const int ints : sizes) {
    Swapped one(team, ints), other(team, 40);
    MPI_Request requests[2];
    one.keep(&requests[0]), other.keep(&requests[1]);
    if (outlive()) one.free_type(), other.free_type();
    for (int round = 0; round < 6; ++round) {
      one.fill(round), other.fill(round + 50);
      EXPECT_EQ(MPI_Startall(2, requests), MPI_SUCCESS);
      for (int i = 1; i >= 0; --i) EXPECT_EQ(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_TRUE(one.right() && other.right()) << ints << " ints, round " << round;
    }
    for (MPI_Request& request : requests) EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  }
}

// Ranks start the requests in different orders, make new requests meanwhile, and make blocking
// calls.
TEST_EACH_RANKS(2, 5, ExchangeRequests, StartedInAnyOrder) {
  Columns one(team, 50'000), other(team, 2'000), more(team, 700), blocking(team, 3'000);
  MPI_Request requests[2];
  MPI_Request late = MPI_REQUEST_NULL;
  one.keep(&requests[0]), other.keep(&requests[1]);
  for (int round = 0; round < 6; ++round) {
    one.fill(round), other.fill(round + 20), more.fill(round + 40), blocking.fill(round + 60);
    const int first = (team.rank + round) % 2;
    EXPECT_EQ(MPI_Start(&requests[first]), MPI_SUCCESS);
    more.keep(&late);
    EXPECT_EQ(MPI_Start(&requests[1 - first]), MPI_SUCCESS);
    blocking.block();
    EXPECT_EQ(MPI_Start(&late), MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&late, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Request_free(&late), MPI_SUCCESS);
    EXPECT_TRUE(one.right() && other.right() && more.right() && blocking.right()) << "round " << round;
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

TEST_EACH_RANKS(2, 4, ExchangeRequests, OutliveTheirCommunicator) {
  if (!outlive()) GTEST_SKIP() << "of Open MPI alone";
  Team own = team;
  MPI_Comm_dup(team.comm, &own.comm);
  Columns columns(own, 3'000);
  MPI_Request request = MPI_REQUEST_NULL;
  columns.keep(&request);
  MPI_Comm_free(&own.comm);
  for (int round = 0; round < 3; ++round) {
    columns.fill(round);
    EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_TRUE(columns.right()) << round;
  }
  MPI_Request_free(&request);
}

namespace {

/// MPI_Alltoallw_init of blocks of random lengths, the same on all ranks: none at all, in one
/// direction only, and from a few ints with holes to announced blocks.
class Uneven {
 public:
  Uneven(const Team& team, std::uint32_t seed) : team_(team) {
    std::minstd_rand random(seed);
    constexpr int lengths[] = {0, 0, 1, 6, 14, 15, 100, 500, 1'500, 20'000};
    int out = 0, in = 0;
    for (int from = 0; from < team.size; ++from)
      for (int to = 0; to < team.size; ++to) {
        const int ints = lengths[random() / 64 % 10];
        if (from == team.rank) out_counts_.push_back(ints), out_at_.push_back(out * 8), out += ints;
        if (to == team.rank) in_counts_.push_back(ints), in_at_.push_back(in * 4), in += ints;
      }
    MPI_Type_create_resized(MPI_INT, 0, 8, &spaced_);
    MPI_Type_commit(&spaced_);
    sent_.resize(2 * static_cast<std::size_t>(out) + 1);
    got_.resize(static_cast<std::size_t>(in) + 1);
    spaces_.assign(out_counts_.size(), spaced_), ints_.assign(in_counts_.size(), MPI_INT);
    EXPECT_EQ(MPI_Alltoallw_init(sent_.data(), out_counts_.data(), out_at_.data(), spaces_.data(), got_.data(),
                                 in_counts_.data(), in_at_.data(), ints_.data(), team.comm, MPI_INFO_NULL, &request_),
              MPI_SUCCESS);
    if (outlive()) MPI_Type_free(&spaced_);
  }
  ~Uneven() {
    MPI_Request_free(&request_);
    if (spaced_ != MPI_DATATYPE_NULL) MPI_Type_free(&spaced_);
  }
  Uneven(const Uneven&) = delete;
  Uneven& operator=(const Uneven&) = delete;

  void start(int salt) {
    for (int to = 0; to < team_.size; ++to)
      for (int i = 0; i < out_counts_[at(to)]; ++i) sent_[at(out_at_[at(to)] / 4 + 2 * i)] = value(team_.rank, to, i, salt);
    std::ranges::fill(got_, -1);
    EXPECT_EQ(MPI_Start(&request_), MPI_SUCCESS);
  }
  void finish(bool test) {
    if (!test) {
      EXPECT_EQ(MPI_Wait(&request_, MPI_STATUS_IGNORE), MPI_SUCCESS);
      return;
    }
    for (int done = 0; !done;) EXPECT_EQ(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  [[nodiscard]] bool right(int salt) const {
    for (int from = 0; from < team_.size; ++from)
      for (int i = 0; i < in_counts_[at(from)]; ++i)
        if (got_[at(in_at_[at(from)] / 4 + i)] != value(from, team_.rank, i, salt)) return false;
    return got_.back() == -1;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static int value(int from, int to, int i, int salt) { return salt * 1'000'003 + from * 10'007 + to * 101 + i; }

  Team team_;
  MPI_Datatype spaced_ = MPI_DATATYPE_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<int> out_counts_, out_at_, in_counts_, in_at_, sent_, got_;
  std::vector<MPI_Datatype> spaces_, ints_;
};

}  // namespace

TEST_EACH_RANKS(1, 8, ExchangeRequests, ShortBlocksOfRanksThatComeLate) {
  std::minstd_rand late(run_seed() + static_cast<std::uint32_t>(team.rank));
  for (std::uint32_t plan = 0; plan < 6; ++plan) {
    Uneven one(team, run_seed() + plan), other(team, run_seed() + plan + 100);
    for (int turn = 0; turn < 25; ++turn) {
      if (late() / 16 % 8 == 0) usleep(300);
      one.start(turn);
      other.start(-turn);
      if (late() / 16 % 8 == 0) usleep(300);
      (turn % 2 ? one : other).finish(turn % 3 == 0);
      (turn % 2 ? other : one).finish(turn % 5 == 0);
      EXPECT_TRUE(one.right(turn) && other.right(-turn)) << "plan " << plan << ", turn " << turn;
    }
    if (late() / 16 % 2 == 0) usleep(500);  // the others free their requests and make new ones before this rank
  }
}

// A rank that sits in a call of the host has already sent the blocks that it has started.
TEST_EACH_RANKS(2, 4, ExchangeRequests, ShortBlocksOfARankInABarrier) {
  Columns columns(team, 20);
  MPI_Request request = MPI_REQUEST_NULL;
  columns.keep(&request);
  for (int absent = 0; absent < team.size; ++absent) {
    columns.fill(absent);
    EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
    if (team.rank == absent) MPI_Barrier(team.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (team.rank != absent) MPI_Barrier(team.comm);
    EXPECT_TRUE(columns.right());
  }
  MPI_Request_free(&request);
}

TEST_RANKS(3, ExchangeRequests, MoreThanThereIsMemoryFor) {
  std::vector<std::unique_ptr<Uneven>> all;
  for (std::uint32_t i = 0; i < 150; ++i) all.push_back(std::make_unique<Uneven>(team, run_seed() + i));
  for (int turn = 0; turn < 3; ++turn) {
    for (const auto& one : all) one->start(turn);
    for (const auto& one : all) one->finish(false);
    for (const auto& one : all) EXPECT_TRUE(one->right(turn));
  }
}

}  // namespace heddle::test::exchange_requests_tests
