// MPI_Put and MPI_Get: Heddle carries out accesses with holes to memory that it reaches
// (docs/one-sided.md). All others are the host's.
#include <atomic>
#include <cstring>
#include <thread>

#include "support/windows.hpp"

namespace heddle::test::window_accesses_tests {
namespace {

/// An error handler.
void returns(MPI_Win* /*win*/, int* /*code*/, ...) {}  // NOLINT(cert-dcl50-cpp): MPI's type of handlers

}  // namespace

// In epochs of locks, Heddle carries out each access with holes at once.
TEST_RANKS(2, WindowAccesses, ToMemoryOfTheNodeAreHeddles) {
  const Committed type = column(100, 3);
  for (const Kind kind : {Kind::allocate, Kind::shared, Kind::create}) {
    for (const Sync sync : {Sync::lock, Sync::lock_all}) {
      Exposed exposed(kind, region, team);
      std::vector<int> row(100, team.rank + 1), columns(300, -1);
      const long before = seen_by_host();
      in_epochs(sync, team, exposed.win, assertion_for(kind), [&](int to, bool) {
        if (to == team.rank) return;
        succeeds(MPI_Put(row.data(), 100, MPI_INT, to, 0, 1, type, exposed.win));
        succeeds(MPI_Get(columns.data(), 1, type, to, 0, 1, type, exposed.win));
      });
      if (expected() == Expected::on) {
        EXPECT_EQ(seen_by_host(), before) << text(kind, sync);
      }
      for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_EQ(columns[i], i % 3 == 0 ? team.rank + 1 : -1) << i;
        if (i % 3 == 0) {
          EXPECT_EQ(reinterpret_cast<int*>(exposed.base())[i], 2 - team.rank) << i;
        }
      }
      MPI_Barrier(team.comm);
    }
  }
}

// Memory of MPI_Win_create may lie in a file that the other ranks map, like that of another window.
// Then Heddle copies there in one pass, otherwise by lists of blocks, here longer than one call
// takes. Open MPI 5.0.11 alone sometimes crashes after so many blocks in one epoch (mca_btl_sm).
TEST_RANKS(2, WindowAccesses, ToMemoryOfTheProgramHoldWhatWasPut) {
  const int rows = expected() == Expected::on ? 2500 : 100;
  const Bytes bytes = Bytes{3} * rows * 4;
  const Committed thin = column(rows, 3);
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows / 2, 2, 5, MPI_INT, &pairs);
  const Committed wide(pairs);
  Exposed under(Kind::shared, bytes, team);
  Memory own(static_cast<std::size_t>(bytes));
  for (std::byte* const base : {own.data(), under.base()}) {
    std::memset(base, 0, static_cast<std::size_t>(bytes));
    MPI_Win win = MPI_WIN_NULL;
    succeeds(MPI_Win_create(base, bytes, 4, MPI_INFO_NULL, team.comm, &win));
    std::vector<int> from(rows / 2 * 5), back(from.size(), -1);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i) * 2 + team.rank;
    const int other = 1 - team.rank;
    const long before = seen_by_host();
    in_epochs(Sync::lock, team, win, MPI_MODE_NOCHECK, [&](int to, bool) {
      if (to == other) succeeds(MPI_Put(from.data(), 1, wide, to, 1, 1, thin, win));
    });
    in_epochs(Sync::lock_all, team, win, MPI_MODE_NOCHECK, [&](int to, bool) {
      if (to == other) succeeds(MPI_Get(back.data(), 1, wide, to, 1, 1, thin, win));
    });
    if (expected() == Expected::on) {
      EXPECT_EQ(seen_by_host(), before);
    }
    int wrong = 0;
    const auto unit = [](int i) { return i / 2 * 5 + i % 2; };  // the place of the i-th int in `from`
    for (int i = 0; i < 3 * rows; ++i) wrong += reinterpret_cast<int*>(base)[i] != (i % 3 == 1 ? 2 * unit(i / 3) + other : 0);
    for (int i = 0; i < rows / 2 * 5; ++i)
      wrong += back[static_cast<std::size_t>(i)] != (i % 5 < 2 ? from[static_cast<std::size_t>(i)] : -1);
    EXPECT_EQ(wrong, 0);
    MPI_Win_free(&win);
  }
}

// A host may flush a window of the program's memory only while the target makes progress. So Heddle
// does not make sure of a lock there. Here the target waits outside of MPI, as it may.
TEST_RANKS(2, WindowAccesses, UnderLocksOfTheProgramsMemoryWaitForNobody) {
  const Committed type = column(100, 3);
  Exposed flags(Kind::shared, region, team);
  Exposed exposed(Kind::create, region, team);
  MPI_Aint size = 0;
  int unit = 0;
  std::atomic<int>* flag = nullptr;
  succeeds(MPI_Win_shared_query(flags.win, 0, &size, &unit, &flag));
  if (team.rank == 0) flag->store(0);
  if (team.rank == 1) succeeds(MPI_Win_lock_all(0, exposed.win));  // MPICH alone may wait here
  MPI_Barrier(team.comm);
  if (team.rank == 0) {
    while (flag->load() == 0) std::this_thread::yield();
  } else {
    const std::vector<int> row(100, 1);
    const long before = seen_by_host();
    succeeds(MPI_Put(row.data(), 100, MPI_INT, 0, 0, 1, type, exposed.win));
    flag->store(1);
    succeeds(MPI_Win_unlock_all(exposed.win));
    EXPECT_EQ(seen_by_host(), before + 1);
  }
  MPI_Barrier(team.comm);
}

// In a window over all memory, displacements are as good as addresses. Its first page is never
// mapped.
TEST_RANKS(2, WindowAccesses, ToAllMemoryTakeAddresses) {
  const Committed type = column(100, 3);
  MPI_Win win = MPI_WIN_NULL;
  constexpr MPI_Aint begin = 4096;
  succeeds(MPI_Win_create(reinterpret_cast<void*>(begin), (MPI_Aint{1} << 47) - begin, 1, MPI_INFO_NULL, team.comm, &win));
  std::vector<int> row(100, team.rank + 1), columns(300, -1), exposed(300, 0);
  MPI_Aint addresses[2] = {};
  MPI_Get_address(exposed.data(), &addresses[team.rank]);
  MPI_Allgather(MPI_IN_PLACE, 1, MPI_AINT, addresses, 1, MPI_AINT, team.comm);
  const long before = seen_by_host();
  in_epochs(Sync::lock, team, win, MPI_MODE_NOCHECK, [&](int to, bool) {
    const MPI_Aint there = addresses[to] - begin;
    if (to == team.rank) return;
    succeeds(MPI_Put(row.data(), 100, MPI_INT, to, there, 1, type, win));
    succeeds(MPI_Win_flush(to, win));
    succeeds(MPI_Get(columns.data(), 1, type, to, there, 1, type, win));
  });
  if (expected() == Expected::on) {
    EXPECT_EQ(seen_by_host(), before);
  }
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(columns[i], i % 3 == 0 ? team.rank + 1 : -1) << i;
    EXPECT_EQ(exposed[i], i % 3 == 0 ? 2 - team.rank : 0) << i;
  }
  MPI_Win_free(&win);
}

// Data is moved when the call returns: another rank sees it after a barrier, without a flush.
TEST_RANKS(2, WindowAccesses, AreCompleteWithTheCall) {
  if (expected() != Expected::on) GTEST_SKIP() << "the library may wait for a flush";
  const Committed type = column(50, 2);
  Exposed exposed(Kind::allocate, region, team);
  std::vector<int> row(50, team.rank + 7);
  std::memset(exposed.base(), 0, region);
  MPI_Barrier(team.comm);
  succeeds(MPI_Win_lock_all(0, exposed.win));
  succeeds(MPI_Put(row.data(), 50, MPI_INT, 1 - team.rank, 0, 1, type, exposed.win));
  row.assign(50, -1);
  MPI_Barrier(team.comm);
  MPI_Win_sync(exposed.win);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(reinterpret_cast<int*>(exposed.base())[i], i % 2 == 0 ? 8 - team.rank : 0);
  MPI_Barrier(team.comm);
  succeeds(MPI_Win_unlock_all(exposed.win));
}

// The library gets each call that is not plainly right, and accesses that move nothing.
TEST_RANKS(2, WindowAccesses, OfOddArgumentsAreTheLibrarys) {
  const Committed type = column(10, 2);
  Exposed exposed(Kind::shared, 4096, team);
  MPI_Win_set_errhandler(exposed.win, MPI_ERRORS_RETURN);
  std::vector<int> row(2048, 1);
  std::memset(exposed.base(), 0, 4096);
  MPI_Barrier(team.comm);
  succeeds(MPI_Win_lock_all(0, exposed.win));
  const int to = 1 - team.rank;
  long before = pmpi_spy::calls("Put");
  const auto reaches_host = [&](const char* what) {
    if (expected() == Expected::on) {
      EXPECT_EQ(pmpi_spy::calls("Put"), before + 1) << what;
    }
    before = pmpi_spy::calls("Put");
  };
  succeeds(MPI_Put(row.data(), 0, type, to, 0, 0, type, exposed.win));
  reaches_host("no elements");
  succeeds(MPI_Put(row.data(), 1, type, MPI_PROC_NULL, 0, 1, type, exposed.win));
  reaches_host("MPI_PROC_NULL");
  EXPECT_NE(MPI_Put(row.data(), 1, type, 2, 0, 1, type, exposed.win), MPI_SUCCESS);
  reaches_host("no such rank");
  EXPECT_NE(MPI_Put(row.data(), -1, type, to, 0, 1, type, exposed.win), MPI_SUCCESS);
  reaches_host("a negative count");
  if (team.rank == 0) {  // the shared memory goes on behind the window of rank 0
    MPI_Put(row.data(), 10, MPI_INT, 0, 4096 - 40, 1, type, exposed.win);
    reaches_host("the last ints are outside of the window");
  }
  if (to == 0) {  // the column spans 76 bytes
    MPI_Put(row.data(), 10, MPI_INT, to, 4096 - 72, 1, type, exposed.win);
    reaches_host("one int is outside of the window");
    succeeds(MPI_Put(row.data(), 10, MPI_INT, to, 4096 - 76, 1, type, exposed.win));
    if (expected() == Expected::on) {
      EXPECT_EQ(pmpi_spy::calls("Put"), before) << "the last int of the window";
    }
  }
  succeeds(MPI_Win_unlock_all(exposed.win));
  MPI_Barrier(team.comm);
}

// MPICH returns MPI_SUCCESS after a call that has failed, if a handler of the program has heard of
// it. Heddle then cannot know the epochs of the window.
TEST_RANKS(2, WindowAccesses, WithHandlersThatHideErrorsAreTheLibrarys) {
  const Committed type = column(100, 3);
  Exposed exposed(Kind::allocate, region, team);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  succeeds(MPI_Win_create_errhandler(returns, &handler));
  const std::vector<int> row(100, 1);
  for (const bool own : {false, true, false}) {
    succeeds(MPI_Win_set_errhandler(exposed.win, own ? handler : MPI_ERRORS_RETURN));
    succeeds(MPI_Win_lock(MPI_LOCK_SHARED, 1 - team.rank, 0, exposed.win));
    const long before = seen_by_host();
    succeeds(MPI_Put(row.data(), 100, MPI_INT, 1 - team.rank, 0, 1, type, exposed.win));
    if (expected() == Expected::on) {
#ifdef OPEN_MPI
      EXPECT_EQ(seen_by_host(), before);
#else
      EXPECT_EQ(seen_by_host(), before + (own ? 1 : 0)) << "own handler: " << own;
#endif
    }
    succeeds(MPI_Win_unlock(1 - team.rank, exposed.win));
  }
  MPI_Errhandler_free(&handler);
  MPI_Barrier(team.comm);
}

// An access without an epoch: the library decides what it is.
TEST_RANKS(2, WindowAccesses, OutsideOfEpochsAreTheLibrarys) {
  if (expected() != Expected::on) GTEST_SKIP() << "counts calls of Heddle";
  const Committed type = column(10, 2);
  Exposed exposed(Kind::allocate, 4096, team);
  MPI_Win_set_errhandler(exposed.win, MPI_ERRORS_RETURN);
  const std::vector<int> row(10, 1);
  const auto reaches_host = [&](const char* where) {
    const long before = pmpi_spy::calls("Put");
    MPI_Put(row.data(), 10, MPI_INT, 1 - team.rank, 0, 1, type, exposed.win);
    EXPECT_EQ(pmpi_spy::calls("Put"), before + 1) << where;
  };
  reaches_host("before any epoch");
  succeeds(MPI_Win_lock(MPI_LOCK_SHARED, team.rank, 0, exposed.win));
  reaches_host("another rank is locked");
  succeeds(MPI_Win_unlock(team.rank, exposed.win));
  reaches_host("after the epoch");
  MPI_Barrier(team.comm);
}

// In epochs of other kinds, too, Heddle carries out accesses, as soon as the target is in the
// epoch.
TEST_RANKS(2, WindowAccesses, InFencesAndStartsAreHeddles) {
  if (expected() != Expected::on) GTEST_SKIP() << "counts calls of Heddle";
  const Committed type = column(100, 3);
  for (const Sync sync : {Sync::fence, Sync::start}) {
    Exposed exposed(Kind::allocate, region, team);
    const std::vector<int> row(100, 1);
    int carried = 0;
    for (int tries = 0; tries < 5000 && carried == 0; ++tries) {
      const long before = seen_by_host();
      in_epochs(sync, team, exposed.win, [&](int to, bool) {
        if (to != team.rank) succeeds(MPI_Put(row.data(), 100, MPI_INT, to, 0, 1, type, exposed.win));
      });
      carried = seen_by_host() == before ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &carried, 1, MPI_INT, MPI_MIN, team.comm);
    }
    EXPECT_EQ(carried, 1) << text(Kind::allocate, sync);
  }
}

}  // namespace heddle::test::window_accesses_tests
