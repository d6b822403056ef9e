// One-sided communication. The content of every window and of every origin is compared with the
// standard's type map, holes included (docs/one-sided.md).
#include "support/windows.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "support/exchange.hpp"

namespace heddle::test::windows_tests {
namespace {

/// True: the types of that test must be simple. Open MPI 5.0.11 alone hangs in MPI_Win_fence of
/// windows of MPI_Win_create if they are not, and may garble data (known_host_errors.hpp). In
/// epochs of fences and starts, the host carries out some accesses of each test. In jobs of two
/// nodes, or with HEDDLE_WINDOWS=off on a rank, it does so in all epochs (TEST_WINDOWS=host).
bool must_be_simple([[maybe_unused]] Kind kind, [[maybe_unused]] Sync sync) {
#if defined(OPEN_MPI)
  static const bool host = std::getenv("TEST_WINDOWS") != nullptr;
  if (expected() != Expected::on) return kind == Kind::create || kind == Kind::dynamic;
  return kind == Kind::create || kind == Kind::dynamic || host || sync == Sync::fence || sync == Sync::start;
#else
  return false;
#endif
}

/// The accesses of one round. Each origin has a region of its own in the window of each target.
/// Every rank can tell all of them.
class Plan {
 public:
  Plan(const Team& team, int number, bool simple)
      : own_choices_(
            choices_of(run_seed() + 7919 * static_cast<std::uint32_t>(number) + 1 + static_cast<std::uint32_t>(team.rank))),
        own(own_choices_),
        seed_(run_seed() + 7919 * static_cast<std::uint32_t>(number)),
        simple_(simple) {
    const Choices choices = choices_of(seed_);
    Chooser common(choices);
    unit_ = simple ? Unit{"int"} : random_unit(common);
    units_ = common.rarely(6) ? 0 : common.rarely(3) ? common.between(20, 60) : common.between(1, 6);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// The side at target `to` of the access by `from`.
  [[nodiscard]] Side at_target(int from, int to) const {
    const Choices choices = choices_of(seed_ + 1000 + static_cast<std::uint32_t>(from * 64 + to));
    Chooser choose(choices);
    return side(choose);
  }
  [[nodiscard]] Side at_origin() { return side(own); }
  [[nodiscard]] Memory content(int from, int to, Bytes bytes) const { return message(seed_, from, to, bytes); }
  /// Bytes from the begin of the target's window to the place of the access' displacement.
  static Bytes offset(int from, const Places& there) { return from * region + (std::max<Bytes>(0, -there.low) + 7) / 8 * 8; }

 private:
  Choices own_choices_;

 public:
  Chooser own;

 private:
  [[nodiscard]] Side side(Chooser& choose) const {
    if (!simple_) return random_side(choose, unit_, units_);
    Side made;
    made.shape = layout::grammar::parse("vector(" + std::to_string(std::max<Count>(1, units_)) + ", 1, " +
                                        std::to_string(choose.between(1, 3)) + ", int)");
    made.committed = std::make_shared<Committed>(*made.shape);
    made.type = *made.committed;
    made.count = units_ == 0 ? 0 : 1;
    return made;
  }

  std::uint32_t seed_;
  bool simple_;
  Unit unit_;
  Count units_ = 0;
};

/// Calls MPI_Put, MPI_Get, or another of their forms.
void access(bool put, Chooser& choose, bool passive, const Side& here, std::byte* base, int rank, MPI_Aint displacement,
            const Side& there, MPI_Win win) {
  MPI_Request request = MPI_REQUEST_NULL;
  const bool with_request = passive && choose.rarely(3);
#if HOST_LARGE_COUNTS
  if (choose.rarely(4)) {
    if (with_request && put)
      succeeds(MPI_Rput_c(base, here.count, here.type, rank, displacement, there.count, there.type, win, &request));
    else if (with_request)
      succeeds(MPI_Rget_c(base, here.count, here.type, rank, displacement, there.count, there.type, win, &request));
    else if (put)
      succeeds(MPI_Put_c(base, here.count, here.type, rank, displacement, there.count, there.type, win));
    else
      succeeds(MPI_Get_c(base, here.count, here.type, rank, displacement, there.count, there.type, win));
    if (with_request) succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return;
  }
#endif
  const int n = here.number(), m = there.number();
  if (with_request && put)
    succeeds(MPI_Rput(base, n, here.type, rank, displacement, m, there.type, win, &request));
  else if (with_request)
    succeeds(MPI_Rget(base, n, here.type, rank, displacement, m, there.type, win, &request));
  else if (put)
    succeeds(MPI_Put(base, n, here.type, rank, displacement, m, there.type, win));
  else
    succeeds(MPI_Get(base, n, here.type, rank, displacement, m, there.type, win));
  if (with_request) succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/// Loads and stores of this rank in its own window.
template <class Work>
void alone(Sync sync, const Team& team, MPI_Win win, const Work& work) {
  const bool passive = sync == Sync::lock || sync == Sync::lock_all;
  if (passive) succeeds(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, team.rank, 0, win));
  work();
  if (passive) succeeds(MPI_Win_unlock(team.rank, win));
}

/// All ranks put into all windows, then get it back by other types.
void round(const Team& team, Kind kind, Sync sync, int number) {
  Plan plan(team, number, must_be_simple(kind, sync));
  Exposed exposed(kind, region * team.size, team);
  Memory expected(static_cast<std::size_t>(exposed.size()), std::byte{0xA5});
  alone(sync, team, exposed.win, [&] { std::ranges::copy(expected, exposed.base()); });

  // The types are freed before the epoch ends.
  std::vector<std::unique_ptr<Area>> areas;
  in_epochs(sync, team, exposed.win, assertion_for(kind), [&](int to, bool passive) {
    const Side there = plan.at_target(team.rank, to);
    const Places where = places(*there.shape, there.count);
    EXPECT_LE(where.high - where.low, region - 64);
    const Side here = plan.at_origin();
    areas.push_back(std::make_unique<Area>(std::vector<Area::Block>{{here.shape, here.count, 0}}, 1));
    areas.back()->put(0, plan.content(team.rank, to, areas.back()->size(0)));
    access(true, plan.own, passive, here, areas.back()->base(), to, exposed.displacement(to, Plan::offset(team.rank, where)),
           there, exposed.win);
  });
  for (int from = 0; from < team.size; ++from) {
    const Side there = plan.at_target(from, team.rank);
    const Places where = places(*there.shape, there.count);
    scatter(where, expected.data() + Plan::offset(from, where), plan.content(from, team.rank, where.packed).data());
  }
  alone(sync, team, exposed.win, [&] {
    const auto wrong = std::ranges::mismatch(expected, std::span(exposed.base(), expected.size())).in1 - expected.begin();
    EXPECT_EQ(wrong, exposed.size()) << "window of rank " << team.rank << ", " << text(kind, sync) << ", round " << number;
  });

  std::vector<std::unique_ptr<Area>> got;
  in_epochs(sync, team, exposed.win, assertion_for(kind), [&](int to, bool passive) {
    const Side there = plan.at_target(team.rank, to);
    const Places where = places(*there.shape, there.count);
    const Side here = plan.at_origin();
    got.push_back(std::make_unique<Area>(std::vector<Area::Block>{{here.shape, here.count, 0}}, 2));
    got.back()->expect(0, plan.content(team.rank, to, got.back()->size(0)));
    access(false, plan.own, passive, here, got.back()->base(), to, exposed.displacement(to, Plan::offset(team.rank, where)),
           there, exposed.win);
  });
  for (const auto& area : got)
    EXPECT_TRUE(area->as_expected()) << area->difference() << " from a window, " << text(kind, sync) << ", round " << number
                                     << ", rank " << team.rank;
}

void all_rounds(const Team& team, int usual) {
  for (int number = 0; number < std::min(rounds(usual), usual); ++number)
    for (const Kind kind : kinds)
      for (const Sync sync : syncs) round(team, kind, sync, number);
}

}  // namespace

TEST_EACH_RANKS(2, 4, Windows, OfRandomTypesHoldWhatWasPut) { all_rounds(team, 2); }
TEST_RANKS(8, Windows, OfEightRanksHoldWhatWasPut) { all_rounds(team, 1); }

// One rank has all the memory, as programs with shared windows often do.
TEST_RANKS(3, Windows, OfOneRankAloneHoldWhatWasPut) {
  const Committed type = column(16, 2);
  MPI_Win win = MPI_WIN_NULL;
  std::byte* base = nullptr;
  succeeds(MPI_Win_allocate_shared(team.rank == 1 ? 4096 : 0, 1, MPI_INFO_NULL, team.comm, &base, &win));
  if (team.rank == 1) std::memset(base, 0, 4096);
  for (const Sync sync : {Sync::lock, Sync::fence, Sync::start}) {
    const std::vector<int> row(16, 10 * static_cast<int>(sync) + team.rank);
    const long before = seen_by_host();
    MPI_Barrier(team.comm);
    in_epochs(sync, team, win, [&](int to, bool) {
      if (to == 1) succeeds(MPI_Put(row.data(), 16, MPI_INT, to, 1024 * team.rank, 1, type, win));
    });
    if (expected() == Expected::on && sync == Sync::lock) {
      EXPECT_EQ(seen_by_host(), before);
    }
    MPI_Barrier(team.comm);
    for (int from = 0; from < 3 && team.rank == 1; ++from)
      for (std::size_t i = 0; i < 32; ++i)
        EXPECT_EQ(reinterpret_cast<int*>(base + 1024 * from)[i], i % 2 == 0 ? 10 * static_cast<int>(sync) + from : 0);
    MPI_Barrier(team.comm);
  }
  MPI_Win_free(&win);
}

// Two windows of one communicator, and a window of some of its ranks: each has its own epochs.
TEST_RANKS(4, Windows, OfDifferentGroupsKeepApart) {
  const Committed type = column(20, 2);
  Exposed one(Kind::allocate, region, team), two(Kind::shared, region, team);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(team.comm, team.rank % 2, -team.rank, &half);
  {
    const Team halves{half, team.rank < 2 ? 1 : 0, 2};
    Exposed third(Kind::allocate, region, halves);
    for (const Exposed* each : {&one, &two, &third}) std::memset(each->base(), 0, region);
    MPI_Barrier(team.comm);
    const int world_other = (team.rank + 2) % 4;
    const std::vector<int> a(20, team.rank + 10), b(20, team.rank + 20), c(20, team.rank + 30);
    succeeds(MPI_Win_lock(MPI_LOCK_SHARED, world_other, 0, one.win));
    succeeds(MPI_Win_lock_all(0, two.win));
    succeeds(MPI_Win_fence(0, third.win));
    succeeds(MPI_Put(a.data(), 20, MPI_INT, world_other, 0, 1, type, one.win));
    succeeds(MPI_Put(b.data(), 20, MPI_INT, world_other, 0, 1, type, two.win));
    succeeds(MPI_Put(c.data(), 20, MPI_INT, 1 - halves.rank, 0, 1, type, third.win));
    succeeds(MPI_Win_fence(0, third.win));
    succeeds(MPI_Win_unlock_all(two.win));
    succeeds(MPI_Win_unlock(world_other, one.win));
    MPI_Barrier(team.comm);
    int n = 10;
    for (const Exposed* each : {&one, &two, &third}) {
      for (std::size_t i = 0; i < 40; ++i)
        EXPECT_EQ(reinterpret_cast<int*>(each->base())[i], i % 2 == 0 ? world_other + n : 0) << n;
      n += 10;
    }
    MPI_Barrier(team.comm);
  }
  MPI_Comm_free(&half);
}

// Each rank starts and posts with its neighbours only, and these change from epoch to epoch. The
// barriers are for MPICH 5.0.2: its MPI_Win_start counts posts of all ranks together.
TEST_RANKS(4, Windows, OfChangingNeighboursHoldWhatWasPut) {
  const Committed type = column(32, 2);
  Exposed exposed(Kind::allocate, 4096, team);
  std::memset(exposed.base(), 0, 4096);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(exposed.win, &all);
  for (int step = 1; step <= 12; ++step) {
    const int shift = 1 + step % 3, to = (team.rank + shift) % 4, from = (team.rank + 4 - shift) % 4;
    MPI_Group targets = MPI_GROUP_NULL, origins = MPI_GROUP_NULL;
    MPI_Group_incl(all, 1, &to, &targets);
    MPI_Group_incl(all, 1, &from, &origins);
    const std::vector<int> row(32, 100 * step + team.rank);
    succeeds(MPI_Win_post(origins, 0, exposed.win));
    succeeds(MPI_Win_start(targets, 0, exposed.win));
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
    succeeds(MPI_Put(row.data(), 32, MPI_INT, to, 0, 1, type, exposed.win));
    succeeds(MPI_Win_complete(exposed.win));
    succeeds(MPI_Win_wait(exposed.win));
    int wrong = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      int& value = reinterpret_cast<int*>(exposed.base())[i];
      wrong += value != (i % 2 == 0 ? 100 * step + from : 0);
      value = 0;  // the window is this rank's own until its next post
    }
    EXPECT_EQ(wrong, 0) << "step " << step;
    MPI_Barrier(team.comm);
  }
  MPI_Group_free(&all);
}

// A lock protects its holder: each rank adds 1 to a column of counters, many times.
TEST_RANKS(4, Windows, LocksExcludeOthers) {
  constexpr int times = 100;
  const Committed type = column(16, 2);
  Exposed exposed(Kind::allocate, 4096, team);
  std::memset(exposed.base(), 0, 4096);
  MPI_Barrier(team.comm);
  for (int i = 0; i < times; ++i) {
    std::vector<int> values(16);
    succeeds(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, exposed.win));
    succeeds(MPI_Get(values.data(), 16, MPI_INT, 0, 0, 1, type, exposed.win));
    succeeds(MPI_Win_flush(0, exposed.win));
    for (int& value : values) ++value;
    succeeds(MPI_Put(values.data(), 16, MPI_INT, 0, 0, 1, type, exposed.win));
    succeeds(MPI_Win_unlock(0, exposed.win));
  }
  MPI_Barrier(team.comm);
  for (std::size_t i = 0; i < 32 && team.rank == 0; ++i)
    EXPECT_EQ(reinterpret_cast<int*>(exposed.base())[i], i % 2 == 0 ? 4 * times : 0) << i;
  MPI_Barrier(team.comm);
}

// Two threads of a rank access two targets at once.
TEST_RANKS(3, Windows, AreAccessedByThreads) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "one thread";
  const Committed type = column(64, 2);
  Exposed exposed(Kind::allocate, region, team);
  std::memset(exposed.base(), 0, region);
  MPI_Barrier(team.comm);
  const auto work = [&](int to) {
    const std::vector<int> row(64, team.rank + 1);
    for (int i = 0; i < 50; ++i) {
      MPI_Win_lock(MPI_LOCK_SHARED, to, 0, exposed.win);
      MPI_Put(row.data(), 64, MPI_INT, to, exposed.displacement(to, team.rank * 1024), 1, type, exposed.win);
      MPI_Win_unlock(to, exposed.win);
    }
  };
  std::thread other(work, (team.rank + 1) % 3);
  work((team.rank + 2) % 3);
  other.join();
  MPI_Barrier(team.comm);
  for (int from = 0; from < 3; ++from)
    for (std::size_t i = 0; i < 128; ++i)
      EXPECT_EQ(reinterpret_cast<int*>(exposed.base() + from * 1024)[i], from != team.rank && i % 2 == 0 ? from + 1 : 0);
  MPI_Barrier(team.comm);
}

}  // namespace heddle::test::windows_tests
