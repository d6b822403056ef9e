// Files whose view has no holes, and memory that has some: Heddle packs the data, and the host
// carries out the call (docs/mpi-io.md). The content of files and buffers, statuses and pointers
// are compared with the host's. Also what Heddle's own handle on a file must not change:
// MPI_File_sync, files that have one name and are several, many open files.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "support/exchange.hpp"
#include "support/files.hpp"
#include "support/pmpi_spy.hpp"
#include "support/random_views.hpp"
#include "support/ranks.hpp"

namespace {
std::atomic<int> synchronized{0};
}

// The host's MPI_File_sync calls this.
extern "C" [[gnu::visibility("default")]] int fsync(int file) {
  ++synchronized;
  return static_cast<int>(syscall(SYS_fsync, file));
}

namespace heddle::test::file_memory_tests {
namespace {

enum class Form { pointer, at, pointer_all, at_all };
constexpr Form forms[] = {Form::pointer, Form::at, Form::pointer_all, Form::at_all};

/// Open MPI 5.0.11 alone stores bytes of its own where a read meets the end of the file.
#ifdef OPEN_MPI
constexpr bool keeps_rest = false;
#else
constexpr bool keeps_rest = true;
#endif

struct Got {
  int result = MPI_SUCCESS;
  MPI_Status status{};
  MPI_Offset position = 0;
};

/// Through MPI_ (Heddle) or PMPI_ (the host).
Got access(bool heddle, bool write, Form form, MPI_File file, MPI_Offset from, void* base, const Side& side) {
  Got got;
#define FORM(name, ...)                                                                            \
  (got.result = heddle ? MPI_File_##name(file, __VA_ARGS__, side.number(), side.type, &got.status) \
                       : PMPI_File_##name(file, __VA_ARGS__, side.number(), side.type, &got.status))
  if (form == Form::pointer || form == Form::pointer_all) MPI_File_seek(file, from, MPI_SEEK_SET);
  if (form == Form::pointer) write ? FORM(write, base) : FORM(read, base);
  if (form == Form::at) write ? FORM(write_at, from, base) : FORM(read_at, from, base);
  if (form == Form::pointer_all) write ? FORM(write_all, base) : FORM(read_all, base);
  if (form == Form::at_all) write ? FORM(write_at_all, from, base) : FORM(read_at_all, from, base);
#undef FORM
  MPI_File_get_position(file, &got.position);
  return got;
}

void expect_same(const Got& got, const Got& of_host, const Side& side, const std::string& where) {
  EXPECT_EQ(got.result, of_host.result) << where;
  EXPECT_EQ(got.position, of_host.position) << where;
  EXPECT_EQ(count_of(got.status, MPI_BYTE), count_of(of_host.status, MPI_BYTE)) << where;
  EXPECT_EQ(count_of(got.status, side.type), count_of(of_host.status, side.type)) << where;
}

void random_round(const Team& team, std::uint32_t seed, const std::string& what) {
  const Choices common_choices = choices_of(seed), own_choices = choices_of(seed + 1 + static_cast<std::uint32_t>(team.rank));
  Chooser common(common_choices), own(own_choices);
  const bool in_memory = common.upto(1) != 0;
  const Opened ours(team, in_memory), hosts(team, in_memory);
  const Form form = forms[common.upto(3)];
  const Unit unit = common.upto(1) ? Unit{"double"} : Unit{"int"};
  const MPI_Datatype etype = predefined(unit.front());
  const Bytes each = unit.front() == "double" ? 8 : 4;
  const Count most = 4000, count = own.between(1, most);
  // Each rank has a part of the file of its own, which the view or the offset finds.
  const bool by_view = common.upto(1) != 0;
  const Bytes begin = common.upto(100) * 8 + each * most * team.rank;
  for (const MPI_File file : {ours.file, hosts.file})
    succeeds(MPI_File_set_view(file, by_view ? begin : 0, etype, etype, "native", MPI_INFO_NULL));
  const MPI_Offset from = by_view ? 0 : begin / each;
  const Side side = random_side(own, unit, count);
  const std::string where = what + ", form " + text(static_cast<int>(form)) + ", rank " + text(team.rank);
  Area data({{side.shape, side.count, 0}}, 1);
  data.put(0, message(seed, team.rank, 7, data.size(0)));
  expect_same(access(true, true, form, ours.file, from, data.base(), side),
              access(false, true, form, hosts.file, from, data.base(), side), side, where);
  MPI_Barrier(team.comm);
  const Bytes all = each * most * (team.size + 1);
  EXPECT_TRUE(bytes_of(ours.name, 0, all) == bytes_of(hosts.name, 0, all)) << where;
  MPI_Barrier(team.comm);
  MPI_Offset size = 0;
  MPI_File_get_size(ours.file, &size);
  // The second read is past its data, and for the last rank past the end of the file.
  for (const MPI_Offset past : {MPI_Offset{0}, MPI_Offset{count / 2}}) {
    Area mine({{side.shape, side.count, 0}}, 2), of_host({{side.shape, side.count, 0}}, 2);
    const Got got = access(true, false, form, ours.file, from + past, mine.base(), side);
    expect_same(got, access(false, false, form, ours.file, from + past, of_host.base(), side), side, where);
    const bool met = !keeps_rest && begin + (past + count) * each > size;
    EXPECT_TRUE(met || mine.same_as(of_host)) << where;
  }
}

TEST_EACH_RANKS(1, 4, FileMemory, OfRandomTypesIsWrittenAndReadAsByTheHost) {
  for (int round = 0; round < std::min(rounds(6), 6); ++round)
    random_round(team, run_seed() + 104729 * static_cast<std::uint32_t>(round), "round " + text(round));
}

/// 32 columns of a matrix of 64 × 64.
std::string half_of_columns(int rank) {
  return "subarray(" + list({64, 64}) + ", " + list({64, 32}) + ", " + list({0, Count{32} * rank}) + ", double)";
}

// Two columns of a matrix.
TEST_RANKS(2, FileMemory, InShortPiecesReachesTheHostPacked) {
  const Opened opened(team, true);
  const Committed inner("subarray(" + list({64, 64}) + ", " + list({60, 2}) + ", " + list({2, 31}) + ", double)");
  std::vector<double> data(64 * 64, 1.5 + team.rank), back(64 * 64, 0);
  const MPI_Offset own = MPI_Offset{8} * 120 * team.rank;
  const long before = pmpi_spy::derived();
  succeeds(MPI_File_write_at(opened.file, own, data.data(), 1, inner, MPI_STATUS_IGNORE));
  succeeds(MPI_File_write_at_all(opened.file, own, data.data(), 1, inner, MPI_STATUS_IGNORE));
  MPI_Status status;
  succeeds(MPI_File_read_at(opened.file, own, back.data(), 1, inner, &status));
  EXPECT_EQ(count_of(status, inner), 1);
  EXPECT_EQ(pmpi_spy::derived() == before, expected() == Expected::on);
  EXPECT_EQ(std::count(back.begin(), back.end(), 1.5 + team.rank), 120);
  EXPECT_EQ(back[2 * 64 + 31], 1.5 + team.rank);
  EXPECT_EQ(back[2 * 64 + 30], 0);
}

// ROMIO keeps for each handle whether it has written. The owners write by a handle of Heddle's own.
TEST_RANKS(2, FileMemory, ThatHeddleHasWrittenIsSynchronized) {
  const Opened opened(team, false);
  const Committed column(half_of_columns(team.rank));
  const std::vector<double> data(64 * 32, team.rank);
  succeeds(MPI_File_set_view(opened.file, 0, MPI_DOUBLE, column, "native", MPI_INFO_NULL));
  succeeds(MPI_File_write_all(opened.file, data.data(), 64 * 32, MPI_DOUBLE, MPI_STATUS_IGNORE));
  const int before = synchronized;
  succeeds(MPI_File_sync(opened.file));
  int calls = synchronized - before, all = 0;
  MPI_Allreduce(&calls, &all, 1, MPI_INT, MPI_SUM, team.comm);
  EXPECT_GE(all, 1);
}

// Each rank opens a file of its own folder, as if the ranks shared one.
TEST_RANKS(2, FileMemory, OfSeveralFilesWithOneNameIsTheHosts) {
  const std::string name = new_name(team, true), own = name + "." + text(team.rank);
  const int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  mkdir(own.c_str(), 0700);
  ASSERT_EQ(chdir(own.c_str()), 0);
  close(open("data", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  MPI_Barrier(team.comm);
  MPI_File file = MPI_FILE_NULL;
  succeeds(MPI_File_open(team.comm, "data", MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  const Committed column(half_of_columns(team.rank));
  const std::vector<double> data(64 * 32, team.rank);
  succeeds(MPI_File_set_view(file, 0, MPI_DOUBLE, column, "native", MPI_INFO_NULL));
  const long before = pmpi_spy::calls("File_write_all");
  MPI_File_write_all(file, data.data(), 64 * 32, MPI_DOUBLE, MPI_STATUS_IGNORE);
  EXPECT_EQ(pmpi_spy::calls("File_write_all"), before + 1);
  MPI_File_close(&file);
  MPI_Barrier(team.comm);
  unlink("data");
  ASSERT_EQ(fchdir(folder), 0);
  close(folder);
  rmdir(own.c_str());
}

TEST_RANKS(2, FileMemory, OfManyOpenFilesIsTheHostsFromSomeFileOn) {
  constexpr int many = 70;
  const Committed column(half_of_columns(team.rank));
  const std::vector<double> data(64 * 32, team.rank);
  std::vector<std::unique_ptr<Opened>> files;
  std::vector<bool> carried;
  for (int i = 0; i < many; ++i) {
    files.push_back(std::make_unique<Opened>(team, true));
    if (i > 0 && i < many - 1) continue;
    succeeds(MPI_File_set_view(files.back()->file, 0, MPI_DOUBLE, column, "native", MPI_INFO_NULL));
    const long before = pmpi_spy::calls("File_write_all");
    succeeds(MPI_File_write_all(files.back()->file, data.data(), 64 * 32, MPI_DOUBLE, MPI_STATUS_IGNORE));
    carried.push_back(pmpi_spy::calls("File_write_all") == before);
  }
  EXPECT_EQ(carried.front(), expected() == Expected::on);
  EXPECT_FALSE(carried.back());
}

}  // namespace
}  // namespace heddle::test::file_memory_tests
