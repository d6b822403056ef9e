// Collective accesses in which the bytes of each rank are one piece of the file. From the third one
// on, Heddle makes the host's independent calls of them, and keeps the order of the accesses
// (docs/mpi-io.md). The content of files and buffers, statuses and pointers are compared with the
// host's collective calls.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/exchange.hpp"
#include "support/files.hpp"
#include "support/pmpi_spy.hpp"
#include "support/random_views.hpp"
#include "support/ranks.hpp"

namespace heddle::test::file_pieces_tests {
namespace {

enum class Form { pointer, at };

struct Got {
  int result = MPI_SUCCESS;
  MPI_Status status{};
  MPI_Offset position = 0;
};

/// Through MPI_ (Heddle) or PMPI_ (the host).
#define FORM(name, ...) (heddle ? MPI_File_##name(__VA_ARGS__) : PMPI_File_##name(__VA_ARGS__))
Got access(bool heddle, bool write, Form form, MPI_File file, MPI_Offset from, void* base, const Side& side, bool large) {
  Got got;
  if (form == Form::pointer) MPI_File_seek(file, from, MPI_SEEK_SET);
#if HOST_LARGE_COUNTS
  if (large && form == Form::pointer)
    got.result = write ? FORM(write_all_c, file, base, side.count, side.type, &got.status)
                       : FORM(read_all_c, file, base, side.count, side.type, &got.status);
  else if (large)
    got.result = write ? FORM(write_at_all_c, file, from, base, side.count, side.type, &got.status)
                       : FORM(read_at_all_c, file, from, base, side.count, side.type, &got.status);
  else
#endif
      if (form == Form::pointer)
    got.result = write ? FORM(write_all, file, base, side.number(), side.type, &got.status)
                       : FORM(read_all, file, base, side.number(), side.type, &got.status);
  else
    got.result = write ? FORM(write_at_all, file, from, base, side.number(), side.type, &got.status)
                       : FORM(read_at_all, file, from, base, side.number(), side.type, &got.status);
  static_cast<void>(large);
  MPI_File_get_position(file, &got.position);
  return got;
}
#undef FORM

/// The calls of the host's collective procedures.
long collective_calls() {
  long sum = 0;
  for (const char* const name : {"File_write_all", "File_read_all", "File_write_at_all", "File_read_at_all"})
    sum += pmpi_spy::calls(name);
  return sum;
}

bool heddle_may() { return expected() == Expected::on && !std::getenv("TEST_FILES"); }

/// True: Heddle makes independent calls of all accesses after begin(). Otherwise (HEDDLE_FILES is
/// not set) it may try both ways.
bool goes_apart() {
  const char* const set = std::getenv("HEDDLE_FILES");
  return heddle_may() && set && std::string_view(set) == "on";
}

/// The host's collective procedures got so many calls of one access, which may be independent.
void expect_host(long calls) {
  if (heddle_may() && !goes_apart()) return;  // both ways are right
  EXPECT_EQ(calls, goes_apart() ? 0 : 1);
}

void no_access(MPI_File file) { MPI_File_write_at_all(file, 0, nullptr, 0, MPI_BYTE, MPI_STATUS_IGNORE); }

/// After these, Heddle keeps the order of the file's accesses.
void begin(MPI_File file) {
  for (int i = 0; i < 3; ++i) no_access(file);
}

void random_round(const Team& team, std::uint32_t seed, const std::string& what) {
  const Choices common_choices = choices_of(seed), own_choices = choices_of(seed + 1 + static_cast<std::uint32_t>(team.rank));
  Chooser common(common_choices), own(own_choices);
  const bool in_memory = common.upto(1) != 0;
  const Opened ours(team, in_memory), hosts(team, in_memory);
  const Unit unit = common.upto(1) ? Unit{"double"} : Unit{"int"};
  const MPI_Datatype etype = predefined(unit.front());
  const Bytes each = unit.front() == "double" ? 8 : 4;
  constexpr Count most = 3000;
  const bool by_view = common.upto(1) != 0;
  const Bytes begin = common.upto(100) * 8 + each * most * team.rank;
  if (by_view || common.upto(1)) {
    for (const MPI_File file : {ours.file, hosts.file})
      succeeds(MPI_File_set_view(file, by_view ? begin : 0, etype, etype, "native", MPI_INFO_NULL));
  } else {
    for (const MPI_File file : {ours.file, hosts.file})
      succeeds(MPI_File_set_view(file, begin % each, etype, etype, "native", MPI_INFO_NULL));
  }
  for (int step = 0; step < 8; ++step) {
    const Form form = common.upto(1) ? Form::pointer : Form::at;
    const bool large = common.upto(1) != 0;
    const Count count = own.rarely(5) ? 0 : own.between(1, most);
    Side side;
    if (count > 0) {
      side = random_side(own, unit, count);
    } else {  // MPICH 5.0.2 crashes with elements of no bytes
      side.shape = layout::grammar::parse("int");
      side.type = MPI_INT;
    }
    const MPI_Offset from = by_view ? 0 : begin / each;
    const std::string where = what + ", step " + text(step) + ", rank " + text(team.rank);
    Area data({{side.shape, side.count, 0}}, 1);
    data.put(0, message(seed, team.rank, step, data.size(0)));
    const Got wrote = access(true, true, form, ours.file, from, data.base(), side, large);
    const Got by_host = access(false, true, form, hosts.file, from, data.base(), side, large);
    EXPECT_EQ(wrote.result, by_host.result) << where;
    EXPECT_EQ(wrote.position, by_host.position) << where;
    EXPECT_EQ(count_of(wrote.status, MPI_BYTE), count_of(by_host.status, MPI_BYTE)) << where;
    Area mine({{side.shape, side.count, 0}}, 2);
    const Got got = access(true, false, form, ours.file, from, mine.base(), side, large);
    EXPECT_EQ(got.result, MPI_SUCCESS) << where;
    EXPECT_EQ(got.position, wrote.position) << where;
    EXPECT_EQ(count_of(got.status, MPI_BYTE), data.size(0)) << where;
    EXPECT_EQ(count_of(got.status, side.type), side.number()) << where;
    mine.expect(0, message(seed, team.rank, step, data.size(0)));
    EXPECT_TRUE(mine.as_expected()) << where << ": " << mine.difference();
  }
  MPI_Barrier(team.comm);
  const Bytes all = each * most * (team.size + 1);
  EXPECT_TRUE(bytes_of(ours.name, 0, all) == bytes_of(hosts.name, 0, all)) << what;
  MPI_Barrier(team.comm);
}

TEST_EACH_RANKS(1, 4, FilePieces, OfRandomTypesAreWrittenAndReadAsByTheHost) {
  for (int round = 0; round < std::min(rounds(4), 4); ++round)
    random_round(team, run_seed() + 104729 * static_cast<std::uint32_t>(round), "round " + text(round));
}

TEST_RANKS(4, FilePieces, AreAccessedIndependentlyFromTheThirdAccessOn) {
  const Opened opened(team, true);
  double number = team.rank, back = -1;
  for (int access = 0; access < 5; ++access) {
    const long before = collective_calls();
    succeeds(MPI_File_write_at_all(opened.file, MPI_Offset{8} * team.rank, &number, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
    if (access < 2)
      EXPECT_EQ(collective_calls() - before, 1) << access;
    else
      expect_host(collective_calls() - before);
  }
  // Rows of a matrix: a view with holes, and one piece of it.
  const Committed row("subarray(" + list({team.size, 16}) + ", " + list({1, 16}) + ", " + list({team.rank, 0}) + ", double)");
  succeeds(MPI_File_set_view(opened.file, 0, MPI_DOUBLE, row, "native", MPI_INFO_NULL));
  const long before = collective_calls();
  succeeds(MPI_File_write_all(opened.file, &number, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  expect_host(collective_calls() - before);
  succeeds(MPI_File_read_at_all(opened.file, 0, &back, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT_EQ(back, number);
}

// Ranks write together, and read the share of another rank at once.
TEST_RANKS(4, FilePieces, AreReadAfterAllHaveWritten) {
  const Opened opened(team, true);
  begin(opened.file);
  const bool ordered = goes_apart();  // some hosts keep no order alone
  for (int step = 0; step < 50; ++step) {
    if (step % team.size == team.rank) usleep(500);
    const int other = (team.rank + step) % team.size;
    const std::array<int, 64> data{step, team.rank};
    std::array<int, 64> back{};
    const auto place = [&](int rank) { return static_cast<MPI_Offset>(sizeof data) * rank; };
    succeeds(MPI_File_write_at_all(opened.file, place(team.rank), data.data(), 64, MPI_INT, MPI_STATUS_IGNORE));
    succeeds(MPI_File_read_at_all(opened.file, place(other), back.data(), 64, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_TRUE(!ordered || (back[0] == step && back[1] == other)) << step;
  }
}

/// Ranks 0 and 1 come to an access one after the other: rank 1 needs rank 0's host before.
template <class Before, class After>
void while_another_waits(const Team& team, const Before& before, const After& after) {
  const Opened opened(team, true);
  begin(opened.file);
  int number = team.rank;
  before();
  for (int i = 0; i < 2; ++i)
    succeeds(MPI_File_write_at_all(opened.file, MPI_Offset{4} * team.rank, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  after();
}

// A rank that waits for the others receives meanwhile.
TEST_RANKS(3, FilePieces, OfARankThatReceivesAMessage) {
  const Committed column("vector(524288, 1, 2, double)");
  for (const MPI_Datatype type : {MPI_Datatype(column), MPI_DOUBLE}) {
    const int count = type == MPI_DOUBLE ? 1 << 20 : 1;
    std::vector<double> data(1 << 20, 1.5 + team.rank);
    MPI_Request request = MPI_REQUEST_NULL;
    while_another_waits(
        team,
        [&] {
          if (team.rank == 0) MPI_Irecv(data.data(), count, type, 1, 5, team.comm, &request);
          if (team.rank == 1) MPI_Send(data.data(), count, type, 0, 5, team.comm);
        },
        [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
    EXPECT_EQ(data[0], team.rank == 0 ? 2.5 : 1.5 + team.rank);
  }
}

// Open MPI alone makes progress with such windows only in calls on them.
#ifndef OPEN_MPI
TEST_RANKS(2, FilePieces, OfATargetOfOneSidedAccesses) {
  std::vector<int> memory(1 << 16), data(1 << 16, 7);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int), MPI_INFO_NULL, team.comm,
                 &window);
  while_another_waits(
      team,
      [&] {
        if (team.rank != 1) return;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(data.data(), 1 << 16, MPI_INT, 0, 0, 1 << 16, MPI_INT, window);
        MPI_Win_unlock(0, window);
      },
      [&] { MPI_Win_free(&window); });
  EXPECT_EQ(memory.back(), team.rank == 0 ? 7 : 0);
}
#endif

// The host finds the error before the ranks tell each other anything, so the other ranks need not
// call.
TEST_RANKS(3, FilePieces, ThatTheHostRefusesOnOneRankNeedNoOther) {
  const Opened opened(team, true);
  begin(opened.file);
  int number = 10 + team.rank, back = -1;
  const MPI_Offset own = MPI_Offset{4} * team.rank;
  for (int step = 0; step < 3; ++step) {
    if (team.rank == step) {
      EXPECT_NE(MPI_File_set_view(opened.file, 0, MPI_INT, MPI_DATATYPE_NULL, "native", MPI_INFO_NULL), MPI_SUCCESS);
      EXPECT_EQ(error_class(MPI_File_write_at_all(opened.file, own, &number, -1, MPI_INT, MPI_STATUS_IGNORE)),
                error_class(PMPI_File_write_at_all(opened.file, own, &number, -1, MPI_INT, MPI_STATUS_IGNORE)));
#ifndef OPEN_MPI  // lets it pass
      EXPECT_NE(MPI_File_read_at_all(opened.file, -8, &back, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
#endif
    }
    succeeds(MPI_File_write_at_all(opened.file, own, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  succeeds(MPI_File_read_at_all(opened.file, own, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(back, number);
}

#ifndef OPEN_MPI  // hangs in split accesses alone, now and then
// A rank errs within a split access, and calls once more than the others.
TEST_RANKS(2, FilePieces, InASplitAccessThatOneRankDisturbs) {
  const Opened opened(team, true);
  begin(opened.file);
  int number = team.rank;
  const MPI_Offset own = MPI_Offset{4} * team.rank;
  succeeds(MPI_File_write_at_all_begin(opened.file, own, &number, 1, MPI_INT));
  if (team.rank == 0) MPI_File_write_at_all(opened.file, own, &number, -1, MPI_INT, MPI_STATUS_IGNORE);
  succeeds(MPI_File_write_at_all_end(opened.file, &number, MPI_STATUS_IGNORE));
  for (int i = 0; i < 15; ++i) succeeds(MPI_File_write_at_all(opened.file, own, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
}
#endif

// Hosts differ in independent reads beyond the end of a file.
TEST_RANKS(3, FilePieces, BeyondTheEndOfTheFileOnOneRankAreTheHosts) {
  const Opened opened(team, true);
  begin(opened.file);
  std::array<double, 4> numbers{}, back{};
  numbers.fill(team.rank);
  const auto read = [&](MPI_Offset from, MPI_Status& status) {
    const long before = collective_calls();
    succeeds(MPI_File_read_at_all(opened.file, from, back.data(), 4, MPI_DOUBLE, &status));
    return collective_calls() - before;
  };
  const MPI_Offset own = MPI_Offset{32} * team.rank;
  succeeds(MPI_File_write_at_all(opened.file, own, numbers.data(), 4, MPI_DOUBLE, MPI_STATUS_IGNORE));
  MPI_Status status;
  EXPECT_EQ(read(own + 16, status), 1);
  MPI_Status of_host;
  succeeds(PMPI_File_read_at_all(opened.file, own + 16, back.data(), 4, MPI_DOUBLE, &of_host));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), count_of(of_host, MPI_DOUBLE));
  expect_host(read(own, status));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), 4);
  EXPECT_EQ(back, numbers);
}

TEST_RANKS(3, FilePieces, InAtomicModeOrWithAHintAreTheHosts) {
  int number = team.rank;
  const auto write = [&](MPI_File file) {
    const long before = collective_calls();
    succeeds(MPI_File_write_at_all(file, MPI_Offset{4} * team.rank, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    return collective_calls() - before;
  };
  {
    const Opened opened(team, true);
    begin(opened.file);
    succeeds(MPI_File_set_atomicity(opened.file, 1));
    EXPECT_EQ(write(opened.file), 1);
    succeeds(MPI_File_set_atomicity(opened.file, 0));
    expect_host(write(opened.file));
  }
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  {
    const Opened opened(team, true, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    begin(opened.file);
    EXPECT_EQ(write(opened.file), 1);
  }
  MPI_Info_free(&info);
}

}  // namespace
}  // namespace heddle::test::file_pieces_tests
