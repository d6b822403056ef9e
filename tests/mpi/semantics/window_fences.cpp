// Accesses to memory of the program that the target carries out in MPI_Win_fence
// (src/engine/window/deferred_accesses.hpp).
#include <dlfcn.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "support/windows.hpp"

namespace heddle::test::window_fences_tests {
namespace {

/// The ints of a window.
int* ints(const Exposed& exposed) { return reinterpret_cast<int*>(exposed.base()); }

/// The number of ints that differ from `value(place)`.
template <class Value>
int wrong_in(const int* from, int count, const Value& value) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += from[i] != value(i);
  return wrong;
}

/// All memory that Heddle of this rank can hand out to other ranks.
class AllMemory {
 public:
  explicit AllMemory(bool take) {
    const auto allocate = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_DEFAULT, "heddle_shared_allocate"));
    for (std::size_t bytes = std::size_t{1} << 46; take && bytes >= 4096; bytes /= 2)
      while (void* const region = allocate(bytes)) regions_.push_back(region);
  }
  ~AllMemory() {
    const auto release = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "heddle_shared_release"));
    for (void* const each : regions_) EXPECT_EQ(release(each), 1);
  }
  AllMemory(const AllMemory&) = delete;
  AllMemory& operator=(const AllMemory&) = delete;

 private:
  std::vector<void*> regions_;
};

}  // namespace

// The program may free its types, and write into the origin's buffer of a put, as soon as the calls
// have returned. (The standard forbids the latter until the fence.)
TEST_RANKS(2, WindowFences, CarryOutWhatTheTargetMustCopy) {
  constexpr int n = 100;
  Exposed exposed(Kind::create, region, team);
  const int other = 1 - team.rank;
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (int i = 0; i < 6 * n; ++i) ints(exposed)[i] = i < 3 * n ? -1 : 1000 * team.rank + i + epoch;
    std::vector<int> row(n), columns(3 * n, -2);
    std::iota(row.begin(), row.end(), 7 * team.rank + epoch);
    succeeds(MPI_Win_fence(epoch == 0 ? MPI_MODE_NOPRECEDE : 0, exposed.win));
    const long before = seen_by_host();
    {
      const Committed type = column(n, 3);
      succeeds(MPI_Put(row.data(), n, MPI_INT, other, 0, 1, type, exposed.win));
      succeeds(MPI_Get(columns.data(), 1, type, other, exposed.displacement(other, Bytes{3} * n * 4), 1, type, exposed.win));
    }
    if (expected() == Expected::on) {
      EXPECT_EQ(seen_by_host(), before);
      row.assign(n, -5);
    }
    succeeds(MPI_Win_fence(epoch % 2 == 0 ? MPI_MODE_NOSTORE : 0, exposed.win));
    EXPECT_EQ(wrong_in(ints(exposed), 3 * n, [&](int i) { return i % 3 == 0 ? 7 * other + epoch + i / 3 : -1; }), 0);
    EXPECT_EQ(wrong_in(columns.data(), 3 * n, [&](int i) { return i % 3 == 0 ? 1000 * other + 3 * n + i + epoch : -2; }), 0);
    succeeds(MPI_Win_fence(0, exposed.win));
  }
}

// One epoch has operations of Heddle and of the library, to different places of the same windows.
TEST_RANKS(4, WindowFences, KeepApartFromTheLibrarysOperations) {
  constexpr int n = 64;
  const Committed type = column(n, 2);
  Exposed exposed(Kind::create, region, team);
  succeeds(MPI_Win_fence(MPI_MODE_NOPRECEDE, exposed.win));
  for (int epoch = 1; epoch <= 6; ++epoch) {
    std::memset(exposed.base(), 0, region);
    succeeds(MPI_Win_fence(0, exposed.win));
    // Some ranks have nothing to defer.
    const std::vector<int> row(n, 10 * epoch + team.rank), whole(n, 20 * epoch + team.rank), ones(n, 1);
    for (int to = 0; to < 4; ++to) {
      if (to == team.rank) continue;
      if (team.rank <= epoch % 4)
        succeeds(MPI_Put(row.data(), n, MPI_INT, to, exposed.displacement(to, team.rank * 1024), 1, type, exposed.win));
      succeeds(
          MPI_Put(whole.data(), n, MPI_INT, to, exposed.displacement(to, 8192 + team.rank * 1024), n, MPI_INT, exposed.win));
      succeeds(MPI_Accumulate(ones.data(), n, MPI_INT, to, exposed.displacement(to, 16384), n, MPI_INT, MPI_SUM, exposed.win));
    }
    succeeds(MPI_Win_fence(0, exposed.win));
    for (int from = 0; from < 4; ++from) {
      const bool puts = from != team.rank && from <= epoch % 4;
      EXPECT_EQ(wrong_in(ints(exposed) + 256 * from, 2 * n, [&](int i) { return puts && i % 2 == 0 ? 10 * epoch + from : 0; }),
                0)
          << "epoch " << epoch << ", rank " << from;
      EXPECT_EQ(wrong_in(ints(exposed) + 2048 + 256 * from, n, [&](int) { return from == team.rank ? 0 : 20 * epoch + from; }),
                0);
    }
    EXPECT_EQ(wrong_in(ints(exposed) + 4096, n, [](int) { return 3; }), 0);
  }
}

// In the epoch after a fence, the library alone reads data that Heddle has put in the epoch before.
TEST_RANKS(4, WindowFences, ShowTheNextEpochWhatWasPut) {
  constexpr int n = 200;
  const Committed type = column(n, 3);
  Exposed exposed(Kind::create, region, team);
  std::memset(exposed.base(), 0, region);
  succeeds(MPI_Win_fence(MPI_MODE_NOPRECEDE, exposed.win));
  for (int epoch = 1; epoch <= 50; ++epoch) {
    const int to = (team.rank + epoch) % 4, then = (team.rank + epoch + 1) % 4;
    const std::vector<int> row(n, 100 * epoch + team.rank);
    std::vector<int> all(3 * n, -1);
    succeeds(MPI_Put(row.data(), n, MPI_INT, to, 0, 1, type, exposed.win));
    succeeds(MPI_Win_fence(0, exposed.win));
    succeeds(MPI_Get(all.data(), 3 * n, MPI_INT, then, 0, 3 * n, MPI_INT, exposed.win));
    succeeds(MPI_Win_fence(0, exposed.win));
    const int origin = (then + 4 - epoch % 4) % 4;
    EXPECT_EQ(wrong_in(all.data(), 3 * n, [&](int i) { return i % 3 == 0 ? 100 * epoch + origin : 0; }), 0) << epoch;
  }
}

// A program that is wrong in saying that no access precedes a fence loses nothing under the
// libraries: the next fence completes the access.
TEST_RANKS(2, WindowFences, WithAWrongPromiseLoseNothing) {
  constexpr int n = 50;
  const Committed type = column(n, 2);
  Exposed exposed(Kind::create, region, team);
  std::memset(exposed.base(), 0, region);
  succeeds(MPI_Win_fence(0, exposed.win));
  const std::vector<int> row(n, 5 + team.rank);
  succeeds(MPI_Put(row.data(), n, MPI_INT, 1 - team.rank, 0, 1, type, exposed.win));
  succeeds(MPI_Win_fence(MPI_MODE_NOPRECEDE, exposed.win));
  succeeds(MPI_Win_fence(0, exposed.win));
  EXPECT_EQ(wrong_in(ints(exposed), 2 * n, [&](int i) { return i % 2 == 0 ? 6 - team.rank : 0; }), 0);
}

// A target that can hand out no further memory refuses a get. The origin then calls the library.
TEST_RANKS(2, WindowFences, WithoutMemoryGoToTheLibrary) {
  constexpr int n = 100;
  const Committed type = column(n, 3);
  Exposed exposed(Kind::create, region, team);
  std::memset(exposed.base(), 0, region);
  for (int i = 0; i < 3 * n; ++i) ints(exposed)[i] = 10 * i + team.rank;
  const AllMemory all(team.rank == 0 && expected() == Expected::on);
  const std::vector<int> row(n, 3);
  std::vector<int> columns(3 * n, -1);
  succeeds(MPI_Win_fence(0, exposed.win));
  const long before = seen_by_host();
  if (team.rank == 1) {
    succeeds(MPI_Get(columns.data(), 1, type, 0, 0, 1, type, exposed.win));
    succeeds(MPI_Put(row.data(), n, MPI_INT, 0, exposed.displacement(0, 4096), 1, type, exposed.win));
  }
  succeeds(MPI_Win_fence(MPI_MODE_NOSUCCEED, exposed.win));
  if (team.rank == 1) {
    EXPECT_EQ(wrong_in(columns.data(), 3 * n, [](int i) { return i % 3 == 0 ? 10 * i : -1; }), 0);
    if (expected() == Expected::on) {
      EXPECT_EQ(seen_by_host(), before + 2) << "the get, and the put behind it";
    }
  } else {
    EXPECT_EQ(wrong_in(ints(exposed) + 1024, n, [](int i) { return i % 3 == 0 ? 3 : 0; }), 0);
  }
  succeeds(MPI_Win_fence(0, exposed.win));
}

// A rank has no memory for its lists: no rank of the window defers accesses, and none waits for it.
TEST_RANKS(3, WindowFences, NeedListsOfAllRanks) {
  constexpr int n = 60;
  const Committed type = column(n, 2);
  for (const int poor : {0, 2}) {
    const AllMemory all(team.rank == poor && expected() == Expected::on);
    Exposed exposed(Kind::create, region, team);
    std::memset(exposed.base(), 0, region);
    const std::vector<int> row(n, team.rank + 1);
    const int to = (team.rank + 1) % 3, from = (team.rank + 2) % 3;
    succeeds(MPI_Win_fence(0, exposed.win));
    succeeds(MPI_Put(row.data(), n, MPI_INT, to, 0, 1, type, exposed.win));
    succeeds(MPI_Win_fence(MPI_MODE_NOSUCCEED, exposed.win));
    EXPECT_EQ(wrong_in(ints(exposed), 2 * n, [&](int i) { return i % 2 == 0 ? from + 1 : 0; }), 0);
  }
}

// A fence with a wrong assertion fails, and the program calls it again.
TEST_RANKS(2, WindowFences, ThatFailMayBeCalledAgain) {
  constexpr int n = 60;
  const Committed type = column(n, 2);
  Exposed exposed(Kind::create, region, team);
  MPI_Win_set_errhandler(exposed.win, MPI_ERRORS_RETURN);
  std::memset(exposed.base(), 0, region);
  const std::vector<int> row(n, team.rank + 1);
  std::vector<int> got(2 * n, -1);
  for (int epoch = 0; epoch < 3; ++epoch) {
    succeeds(MPI_Win_fence(0, exposed.win));
    succeeds(MPI_Put(row.data(), n, MPI_INT, 1 - team.rank, 0, 1, type, exposed.win));
    succeeds(MPI_Get(got.data(), 1, type, 1 - team.rank, exposed.displacement(1 - team.rank, 4096), 1, type, exposed.win));
#if !defined(OPEN_MPI)  // it takes any assertion
    if (team.rank == 0) {
      EXPECT_NE(MPI_Win_fence(1 << 30, exposed.win), MPI_SUCCESS);
    }
#endif
    succeeds(MPI_Win_fence(epoch == 1 ? MPI_MODE_NOSUCCEED : 0, exposed.win));
    EXPECT_EQ(wrong_in(ints(exposed), 2 * n, [&](int i) { return i % 2 == 0 ? 2 - team.rank : 0; }), 0);
    EXPECT_EQ(wrong_in(got.data(), 2 * n, [&](int i) { return i % 2 == 0 ? 0 : -1; }), 0);
    MPI_Barrier(team.comm);
  }
}

// Much data in one epoch: the library gets the rest, here a few bytes. (Open MPI 5.0.11 alone may
// crash if it moves all of it.)
TEST_RANKS(2, WindowFences, DeferALimitedAmount) {
  if (expected() != Expected::on) GTEST_SKIP() << "much data for the library";
  constexpr int block = 256, rows = 8192;  // 8 MiB in a region of 16 MiB
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, block, 2 * block, MPI_INT, &made);
  const Committed type(made), more = column(10, 2);
  const Bytes end = Bytes{rows} * block * 8;
  Exposed exposed(Kind::create, end + 80, team);
  std::memset(exposed.base(), 0, static_cast<std::size_t>(end) + 80);
  const int other = 1 - team.rank;
  const std::vector<int> row(rows * block, 1 + team.rank);
  succeeds(MPI_Win_fence(0, exposed.win));
  const long before = seen_by_host();
  for (int i = 0; i < 8; ++i)  // the same data to the same place
    succeeds(MPI_Put(row.data(), rows * block, MPI_INT, other, 0, 1, type, exposed.win));
  EXPECT_EQ(seen_by_host(), before);
  succeeds(MPI_Put(row.data(), 10, MPI_INT, other, exposed.displacement(other, end), 1, more, exposed.win));
  EXPECT_EQ(seen_by_host(), before + 1);
  succeeds(MPI_Win_fence(0, exposed.win));
  EXPECT_EQ(wrong_in(ints(exposed), 2 * rows * block, [&](int i) { return i % (2 * block) < block ? 1 + other : 0; }), 0);
  EXPECT_EQ(wrong_in(ints(exposed) + end / 4, 20, [&](int i) { return i % 2 == 0 ? 1 + other : 0; }), 0);
}

// Two threads of a rank put at once. (Open MPI 5.0.11 alone may crash.)
TEST_RANKS(2, WindowFences, TakeAccessesOfThreads) {
  if (expected() != Expected::on) GTEST_SKIP() << "the library's own threads";
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "one thread";
  constexpr int n = 32, places = 40;
  const Committed type = column(n, 2);
  Exposed exposed(Kind::create, region, team);
  std::memset(exposed.base(), 0, region);
  succeeds(MPI_Win_fence(0, exposed.win));
  const auto work = [&](int first) {
    for (int place = first; place < places; place += 2) {
      const std::vector<int> row(n, 100 * place + team.rank);
      MPI_Put(row.data(), n, MPI_INT, 1 - team.rank, exposed.displacement(1 - team.rank, place * 512), 1, type, exposed.win);
    }
  };
  std::thread second(work, 1);
  work(0);
  second.join();
  succeeds(MPI_Win_fence(0, exposed.win));
  for (int place = 0; place < places; ++place)
    EXPECT_EQ(wrong_in(ints(exposed) + 128 * place, 2 * n, [&](int i) { return i % 2 == 0 ? 100 * place + 1 - team.rank : 0; }),
              0)
        << place;
}

}  // namespace heddle::test::window_fences_tests
