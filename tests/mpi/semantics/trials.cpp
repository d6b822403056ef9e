// Collectives alternate between Heddle's way and the library's, until the quicker way is known
// (select/collective/trial.hpp). The data are right by either way, and all ranks go the same way.
#include <array>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "support/hinted.hpp"
#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::trials_tests {
namespace {

/// Calls by each way in the first trial, and calls until the quicker way counts.
constexpr int by_each_way = 12, until_known = 40;

/// One collective on a communicator. Rank `from` has `ints(from, to)` ints for rank `to`.
class Repeated {
 public:
  Repeated(const Team& team, std::function<int(int from, int to)> ints)
      : size_(team.size), me_(team.rank), ints_(std::move(ints)) {
    MPI_Comm_dup(team.comm, &comm_);
    for (int i = 0; i < size_; ++i) {
      add(send_counts_, send_at_, sent_, ints_(me_, i));
      add(receive_counts_, receive_at_, got_, ints_(i, me_));
    }
    MPI_Type_vector(2, 1, 2, MPI_INT, &holes_);
    MPI_Type_commit(&holes_);
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;
  ~Repeated() {
    MPI_Type_free(&holes_);
    MPI_Comm_free(&comm_);
  }

  void hint(const char* key, const char* value) { give_hint(comm_, key, value); }
  void alltoallv(int call) {
    begin(call);
    MPI_Alltoallv(sent_.data(), send_counts_.data(), send_at_.data(), MPI_INT, got_.data(), receive_counts_.data(),
                  receive_at_.data(), MPI_INT, comm_);
    compare(call);
  }
  /// Sends pairs of ints with a hole between them, and receives pairs without a hole.
  void alltoallw(int call) {
    begin(call);
    std::vector<int> spread(2 * sent_.size());
    for (std::size_t i = 0; i < sent_.size(); ++i) spread[2 * i] = sent_[i];
    const auto ranks = static_cast<std::size_t>(size_);
    const std::vector<MPI_Datatype> out(ranks, holes_), in(ranks, MPI_INT);
    std::vector<int> counts, places, where;
    for (std::size_t i = 0; i < ranks; ++i) {
      counts.push_back(send_counts_[i] / 2);
      places.push_back(2 * send_at_[i] * static_cast<int>(sizeof(int)));
      where.push_back(receive_at_[i] * static_cast<int>(sizeof(int)));
    }
    // An element begins every three ints, and has the first and the third of its ints.
    std::vector<int> laid(2 * spread.size() + 4);
    for (std::size_t i = 0; i < ranks; ++i)
      for (int k = 0; k < send_counts_[i]; ++k)
        laid[static_cast<std::size_t>(2 * send_at_[i] + k / 2 * 3 + k % 2 * 2)] =
            sent_[static_cast<std::size_t>(send_at_[i] + k)];
    MPI_Alltoallw(laid.data(), counts.data(), places.data(), out.data(), got_.data(), receive_counts_.data(), where.data(),
                  in.data(), comm_);
    compare(call);
  }
  /// Makes calls with missing arrays and with negative counts.
  void mistakes() {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    const auto ranks = static_cast<std::size_t>(size_);
    const std::vector<MPI_Datatype> types(ranks, holes_);
    const std::vector<int> none(ranks, 0), negative(ranks, -1);
#ifdef OPEN_MPI
    const std::vector<const int*> wrong = {negative.data(), nullptr};
#else
    const std::vector<const int*> wrong = {negative.data()};  // MPICH 5.0.2 reads missing arrays
#endif
    for (const int* const counts : wrong) {
      EXPECT_NE(MPI_Alltoallv(sent_.data(), counts, none.data(), holes_, got_.data(), counts, none.data(), holes_, comm_),
                MPI_SUCCESS);
      EXPECT_NE(
          MPI_Alltoallw(sent_.data(), counts, none.data(), types.data(), got_.data(), counts, none.data(), types.data(), comm_),
          MPI_SUCCESS);
    }
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  }
  void alltoall(int call) {
    begin(call);
    MPI_Alltoall(sent_.data(), send_counts_[0], MPI_INT, got_.data(), receive_counts_[0], MPI_INT, comm_);
    compare(call);
  }
  /// Each rank gives all ranks its block for rank 0.
  void allgatherv(int call) {
    std::vector<int> counts, places;
    int all = 0;
    for (int i = 0; i < size_; ++i) counts.push_back(ints_(i, 0)), places.push_back(all), all += counts.back();
    std::vector<int> mine(static_cast<std::size_t>(ints_(me_, 0))), gathered(static_cast<std::size_t>(all), -1);
    std::iota(mine.begin(), mine.end(), first(me_, 0, call));
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_INT, gathered.data(), counts.data(), places.data(), MPI_INT,
                   comm_);
    for (int i = 0; i < size_; ++i) expect(gathered, places, counts, i, first(i, 0, call), call);
  }

 private:
  static void add(std::vector<int>& counts, std::vector<int>& at, std::vector<int>& data, int ints) {
    counts.push_back(ints);
    at.push_back(static_cast<int>(data.size()));
    data.resize(data.size() + static_cast<std::size_t>(ints));
  }
  static int first(int from, int to, int call) { return 100000 * from + 1000 * to + call; }
  void begin(int call) {
    std::ranges::fill(got_, -1);
    for (std::size_t i = 0; i < send_counts_.size(); ++i)
      std::iota(sent_.begin() + send_at_[i], sent_.begin() + send_at_[i] + send_counts_[i],
                first(me_, static_cast<int>(i), call));
  }
  void compare(int call) {
    for (int i = 0; i < size_; ++i) expect(got_, receive_at_, receive_counts_, i, first(i, me_, call), call);
  }
  static void expect(const std::vector<int>& data, const std::vector<int>& at, const std::vector<int>& counts, int from,
                     int first, int call) {
    const auto i = static_cast<std::size_t>(from);
    for (int k = 0; k < counts[i]; ++k)
      if (data[static_cast<std::size_t>(at[i] + k)] != first + k) {
        ADD_FAILURE() << "call " << call << ", from " << from << ", int " << k;
        return;
      }
  }

  int size_, me_;
  std::function<int(int, int)> ints_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Datatype holes_ = MPI_DATATYPE_NULL;
  std::vector<int> send_counts_, send_at_, sent_, receive_counts_, receive_at_, got_;
};

/// The number of calls that go the library's way. `way`: a member of Repeated.
template <class Way>
long by_library(Repeated& repeated, Way way, const char* name, int calls) {
  const long before = pmpi_spy::calls(name);
  for (int call = 0; call < calls; ++call) (repeated.*way)(call);
  return pmpi_spy::calls(name) - before;
}

TEST_EACH_RANKS(2, 8, Trials, EachWayHasItsTurn) {
  Repeated few(team, [](int from, int to) { return 2 * ((from + to) % 3); });
  Repeated pairs(team, [](int from, int to) { return 2 * ((from + to) % 3); });
  Repeated even(team, [](int, int) { return 2000; });
  Repeated outlier(team, [](int from, int) { return from == 0 ? 40000 : 2; });
  const long v = by_library(few, &Repeated::alltoallv, "Alltoallv", until_known);
  const long w = by_library(pairs, &Repeated::alltoallw, "Alltoallw", until_known);
  const long all = by_library(even, &Repeated::alltoall, "Alltoall", until_known);
  const long gathers = by_library(outlier, &Repeated::allgatherv, "Allgatherv", until_known);
  if (expected() != Expected::on) return;
  EXPECT_EQ(v, by_each_way);
  EXPECT_EQ(w, by_each_way);
  EXPECT_EQ(all, by_each_way);
  // Collectives that the model leaves to the library are not tried.
  EXPECT_TRUE(gathers == by_each_way || gathers == until_known) << gathers;
}

/// A ring. The neighbours of each rank are the two ranks beside it.
class Ring {
 public:
  explicit Ring(const Team& team) : me_(team.rank), beside_{(me_ + team.size - 1) % team.size, (me_ + 1) % team.size} {
    MPI_Dist_graph_create_adjacent(team.comm, 2, beside_.data(), MPI_UNWEIGHTED, 2, beside_.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm_);
    MPI_Type_vector(ints, 1, 2, MPI_INT, &holes_);
    MPI_Type_commit(&holes_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    MPI_Type_free(&holes_);
    MPI_Comm_free(&comm_);
  }

  void alltoall(int call) {
    begin(call);
    MPI_Neighbor_alltoall(sent_.data(), ints, MPI_INT, got_.data(), ints, MPI_INT, comm_);
    compare(call, {1, 0});
  }
  void alltoallw(int call) {
    begin(call);
    std::vector<int> spread(4 * ints);
    for (std::size_t i = 0; i < sent_.size(); ++i) spread[2 * i] = sent_[i];
    const std::array<int, 2> one{1, 1}, counts{ints, ints};
    const std::array<MPI_Aint, 2> out{0, 2 * ints * sizeof(int)}, in{0, ints * sizeof(int)};
    const std::array<MPI_Datatype, 2> holes{holes_, holes_}, plain{MPI_INT, MPI_INT};
    MPI_Neighbor_alltoallw(spread.data(), one.data(), out.data(), holes.data(), got_.data(), counts.data(), in.data(),
                           plain.data(), comm_);
    compare(call, {1, 0});
  }
  void allgather(int call) {
    begin(call);
    MPI_Neighbor_allgather(sent_.data(), ints, MPI_INT, got_.data(), ints, MPI_INT, comm_);
    compare(call, {0, 0});
  }

 private:
  static constexpr int ints = 50;
  static int first(int from, int which, int call) { return 100000 * from + 10000 * which + call; }
  void begin(int call) {
    std::ranges::fill(got_, -1);
    for (int which = 0; which < 2; ++which)
      std::iota(sent_.begin() + which * ints, sent_.begin() + (which + 1) * ints, first(me_, which, call));
  }
  /// @param which  For each neighbour, which of its two blocks this rank gets.
  void compare(int call, std::array<int, 2> which) {
    for (std::size_t i = 0; i < 2; ++i)
      for (int k = 0; k < ints; ++k)
        ASSERT_EQ(got_[i * ints + static_cast<std::size_t>(k)], first(beside_[i], which[i], call) + k) << "call " << call;
  }

  int me_;
  std::array<int, 2> beside_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Datatype holes_ = MPI_DATATYPE_NULL;
  std::vector<int> sent_ = std::vector<int>(2 * ints), got_ = std::vector<int>(2 * ints);
};

TEST_EACH_RANKS(3, 8, Trials, NeighboursHaveTheirs) {
  Ring ring(team);
  const auto by_library = [&](void (Ring::*way)(int), const char* name) {
    const long before = pmpi_spy::calls(name);
    for (int call = 0; call < until_known; ++call) {
      if (call % 7 == team.rank) std::this_thread::sleep_for(std::chrono::microseconds(50));
      (ring.*way)(call);
    }
    return pmpi_spy::calls(name) - before;
  };
  const long all = by_library(&Ring::alltoall, "Neighbor_alltoall");
  const long w = by_library(&Ring::alltoallw, "Neighbor_alltoallw");
  const long gathers = by_library(&Ring::allgather, "Neighbor_allgather");
  for (int call = 0; call < 120; ++call) ring.alltoall(call), ring.alltoallw(call), ring.allgather(call);
  if (expected() != Expected::on) return;
  EXPECT_EQ(all, by_each_way);
  EXPECT_EQ(w, by_each_way);
  EXPECT_EQ(gathers, by_each_way);
}

/// Enough calls for a second trial. Ranks take turns in coming late.
TEST_EACH_RANKS(2, 5, Trials, RanksThatComeLateDecideAlike) {
  if (team.size == 4) return;
  Repeated few(team, [](int from, int to) { return 1 + (from + 2 * to) % 5; });
  for (int call = 0; call < 1130; ++call) {
    if (call % 7 == team.rank) std::this_thread::sleep_for(std::chrono::microseconds(50));
    few.alltoallv(call);
  }
}

/// Long rows of one kind of call, which pass without a look at them once the library's way is known
/// to be quicker. Between them are short rows of calls on which ranks agree together. A hint comes
/// in between.
TEST_EACH_RANKS(2, 4, Trials, InLongRows) {
  std::minstd_rand random(17);  // the same on all ranks
  Repeated mixed(team, [](int from, int to) { return 2 * (1 + (from + to) % 3); });
  std::vector<void (Repeated::*)(int)> ways = {&Repeated::alltoallv, &Repeated::alltoallw, &Repeated::alltoallv,
                                               &Repeated::allgatherv};
  for (int row = 0, call = 0; row < 16; ++row) {
    const auto way = ways[random() % ways.size()];
    if (row == 11) mixed.hint("heddle_alltoallv", "direct");
    for (auto left = 1 + random() % (row % 2 == 0 ? 200 : 5); left > 0; --left) (mixed.*way)(call++);
  }
}

/// All ranks make the same mistake in calls that may pass without a look at them. The host reports
/// the error, and later calls are right. Calls pass only if the library's way is quicker, which is
/// so for some of these sizes.
TEST_EACH_RANKS(2, 3, Trials, MistakesInCallsThatMayPass) {
  for (const int ints : {2, 100, 2000, 40000}) {
    Repeated calls(team, [ints](int, int) { return ints; });
    for (int call = 0; call < until_known + 5; ++call) calls.alltoallv(call), calls.alltoallw(call);
    for (int call = 0; call < 3; ++call) {
      calls.mistakes();
      calls.alltoallv(call), calls.alltoallw(call);
    }
  }
}

/// One communicator with several kinds of calls in turn, and changing volumes.
TEST_EACH_RANKS(3, 3, Trials, OfSeveralKindsAtOnce) {
  Repeated mixed(team, [](int from, int to) { return from == to ? 0 : 1500 + 2 * (from % 2); });
  Repeated even(team, [](int, int) { return 1100; });
  for (int call = 0; call < 120; ++call) {
    mixed.alltoallv(call);
    mixed.alltoallw(call);
    mixed.allgatherv(call);
    even.alltoall(call);
  }
}

}  // namespace
}  // namespace heddle::test::trials_tests
