// Files. The content of every file and of every buffer is compared with the standard's type map,
// and statuses and pointers with the host's. Heddle carries out collective accesses through views
// with holes (docs/mpi-io.md). All others are the host's. The tests' own PMPI_ calls reach the
// host.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "support/exchange.hpp"
#include "support/files.hpp"
#include "support/pmpi_spy.hpp"
#include "support/random_views.hpp"
#include "support/ranks.hpp"

namespace heddle::test::files_tests {
namespace {

using layout::grammar::TypePtr;

/// Heddle carries out accesses through views with holes. TEST_FILES=host: a rank has
/// HEDDLE_FILES=off.
bool heddle_carries() { return expected() == Expected::on && !std::getenv("TEST_FILES"); }

MPI_Info random_hints(Chooser& choose) {
  MPI_Info info = MPI_INFO_NULL;
  if (choose.rarely(3)) return info;
  MPI_Info_create(&info);
  if (choose.upto(2)) MPI_Info_set(info, "cb_buffer_size", text(choose.between(64, 1000)).c_str());
  if (choose.upto(1)) MPI_Info_set(info, "cb_nodes", text(choose.between(1, 4)).c_str());
  if (choose.upto(1)) MPI_Info_set(info, "striping_unit", text(choose.between(1, 100)).c_str());
  return info;
}

/// The bytes of a rank's access, as its view shows them: [from, from + length) of the stream.
struct Shown {
  Shown(const Views& views, int rank, Bytes from, Bytes length) {
    const layout::grammar::Type& tile = *views.tiles[static_cast<std::size_t>(rank)];
    const Bytes size = tile.layout.size();
    const Places all = places(tile, (from + length + size - 1) / size);
    Bytes at = 0;
    for (const layout::Entry& entry : all.entries)
      for (Bytes byte = 0; byte < entry.length; ++byte, ++at)
        if (at >= from && at < from + length) offsets.push_back(views.displacement + entry.offset + byte);
  }
  std::vector<Bytes> offsets;
};

/// One access of all ranks.
struct Step {
  std::vector<Count> from, count;  ///< By rank, in etypes.
  bool whole = false;              ///< The ranks access the same tiles, all of each.
};

Step random_step(Chooser& choose, const Views& views) {
  Step step;
  step.whole = choose.upto(2) != 0;
  const Count first = choose.upto(2), tiles = choose.between(1, 3);
  for (const TypePtr& tile : views.tiles) {
    const Count each = tile->layout.size() / views.unit;
    step.from.push_back(step.whole ? first * each : choose.upto(2 * each));
    step.count.push_back(step.whole ? tiles * each : choose.rarely(4) ? 0 : choose.between(1, 2 * each));
  }
  return step;
}

/// The memory of a rank for an access, of any type that has as many bytes.
Side memory_for(Chooser& choose, const Views& views, Count count) {
  if (count == 0) {  // MPICH 5.0.2 crashes with elements of no bytes
    Side none;
    none.shape = layout::grammar::parse("int");
    none.type = MPI_INT;
    return none;
  }
  if (views.unit == 12) return random_side(choose, {"int", "int", "int"}, count);
  return random_side(choose, {views.etype}, count);
}

struct Got {
  int result = MPI_SUCCESS;
  MPI_Status status{};
  MPI_Offset position = 0;
};

/// The last two are split: a call begins the access, and another one ends it.
enum class Form { pointer, at, split_pointer, split_at };
/// Open MPI 5.0.11 alone hangs in split accesses: now and then in reads of random views, where a
/// rank asks for a lock of the file forever, and in a write beyond the largest size of a file.
#ifdef OPEN_MPI
constexpr bool host_splits = false;
#else
constexpr bool host_splits = true;
#endif

bool moves_pointer(Form form) { return form == Form::pointer || form == Form::split_pointer; }

#define FORM(name, ...) (heddle ? MPI_File_##name(__VA_ARGS__) : PMPI_File_##name(__VA_ARGS__))

int begin_split(bool heddle, bool write, Form form, MPI_File file, Count from, void* base, const Side& side, bool large) {
#if HOST_LARGE_COUNTS
  if (large && form == Form::split_pointer)
    return write ? FORM(write_all_begin_c, file, base, side.count, side.type)
                 : FORM(read_all_begin_c, file, base, side.count, side.type);
  if (large)
    return write ? FORM(write_at_all_begin_c, file, from, base, side.count, side.type)
                 : FORM(read_at_all_begin_c, file, from, base, side.count, side.type);
#endif
  static_cast<void>(large);
  if (form == Form::split_pointer)
    return write ? FORM(write_all_begin, file, base, side.number(), side.type)
                 : FORM(read_all_begin, file, base, side.number(), side.type);
  return write ? FORM(write_at_all_begin, file, from, base, side.number(), side.type)
               : FORM(read_at_all_begin, file, from, base, side.number(), side.type);
}

/// Through MPI_ (Heddle) or PMPI_ (the host).
Got access(bool heddle, bool write, Form form, MPI_File file, Count from, void* base, const Side& side, bool large) {
  Got got;
  MPI_Offset before = 0;
  if (moves_pointer(form)) (heddle ? MPI_File_seek : PMPI_File_seek)(file, from, MPI_SEEK_SET);
  MPI_File_get_position(file, &before);
  EXPECT_TRUE(!moves_pointer(form) || before == from);
  if (form == Form::split_pointer || form == Form::split_at) {
    got.result = begin_split(heddle, write, form, file, from, base, side, large);
    if (form == Form::split_pointer)
      succeeds(write ? FORM(write_all_end, file, base, &got.status) : FORM(read_all_end, file, base, &got.status));
    else
      succeeds(write ? FORM(write_at_all_end, file, base, &got.status) : FORM(read_at_all_end, file, base, &got.status));
    MPI_File_get_position(file, &got.position);
    return got;
  }
#if HOST_LARGE_COUNTS
  if (large)
    got.result = form == Form::pointer ? write ? FORM(write_all_c, file, base, side.count, side.type, &got.status)
                                               : FORM(read_all_c, file, base, side.count, side.type, &got.status)
                 : write ? FORM(write_at_all_c, file, from, base, side.count, side.type, &got.status)
                                       : FORM(read_at_all_c, file, from, base, side.count, side.type, &got.status);
  else
#endif
    got.result = form == Form::pointer ? write ? FORM(write_all, file, base, side.number(), side.type, &got.status)
                                               : FORM(read_all, file, base, side.number(), side.type, &got.status)
                 : write ? FORM(write_at_all, file, from, base, side.number(), side.type, &got.status)
                                       : FORM(read_at_all, file, from, base, side.number(), side.type, &got.status);
#undef FORM
  static_cast<void>(large);
  MPI_File_get_position(file, &got.position);
  EXPECT_TRUE(moves_pointer(form) || got.position == before);
  return got;
}

void random_round(const Team& team, std::uint32_t seed, const std::string& what) {
  const Choices common_choices = choices_of(seed), own_choices = choices_of(seed + 1 + static_cast<std::uint32_t>(team.rank));
  Chooser common(common_choices), own(own_choices);
  const Views views = random_views(common, team.size);
  MPI_Info info = random_hints(common);
  const Opened opened(team, common.upto(1) != 0, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  // The file begins with bytes that stay where nobody writes.
  const Bytes old = common.upto(2000);
  Memory expected = message(seed, 99, 99, old);
  if (team.rank == 0) PMPI_File_write_at(opened.file, 0, expected.data(), static_cast<int>(old), MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Barrier(team.comm);
  const Committed tile(*views.tiles[static_cast<std::size_t>(team.rank)]);
  const TypePtr etype = layout::grammar::parse(views.etype);
  const std::optional<Committed> made = views.unit == 12 ? std::optional<Committed>(std::in_place, *etype) : std::nullopt;
  const MPI_Datatype unit = made ? MPI_Datatype(*made) : predefined(views.etype);
  succeeds(MPI_File_set_view(opened.file, views.displacement, unit, tile, "native", MPI_INFO_NULL));
  const Count steps = common.between(1, 3);
  for (Count number = 0; number < steps; ++number) {
    const std::string where = what + ", step " + text(number) + ", rank " + text(team.rank) + ": " +
                              layout::grammar::name(views.tiles[static_cast<std::size_t>(team.rank)]->combiner).data();
    const Step step = random_step(common, views);
    constexpr Form forms[] = {Form::pointer, Form::at, Form::split_pointer, Form::split_at};
    const Form form = forms[common.upto(host_splits ? 3 : 1)];
    const bool large = common.upto(1) != 0;
    const auto me = static_cast<std::size_t>(team.rank);
    const Side side = memory_for(own, views, step.count[me]);
    const Bytes bytes = step.count[me] * views.unit;
    // Overlapping writes have no order.
    if (step.whole && views.whole) {
      Area area({{side.shape, side.count, 0}}, 1);
      area.put(0, message(seed + 7, static_cast<int>(number), team.rank, bytes));
      const Got got = access(true, true, form, opened.file, step.from[me], area.base(), side, large);
      succeeds(got.result);
      EXPECT_EQ(count_of(got.status, MPI_BYTE), bytes) << where;
      EXPECT_TRUE(!moves_pointer(form) || got.position == step.from[me] + step.count[me]) << where;
      for (int rank = 0; rank < team.size; ++rank) {
        const auto there = static_cast<std::size_t>(rank);
        const Bytes length = step.count[there] * views.unit;
        const Shown shown(views, rank, step.from[there] * views.unit, length);
        const Memory content = message(seed + 7, static_cast<int>(number), rank, length);
        for (std::size_t i = 0; i < shown.offsets.size(); ++i) {
          const auto at = static_cast<std::size_t>(shown.offsets[i]);
          if (at >= expected.size()) expected.resize(at + 1);
          expected[at] = content[i];
        }
      }
      MPI_Barrier(team.comm);
      const Memory found = bytes_of(opened.name, 0, static_cast<Bytes>(expected.size()) + 100);
      EXPECT_EQ(found.size(), expected.size()) << where;
      EXPECT_TRUE(found == expected) << where;
      MPI_Barrier(team.comm);
    }
    Area mine(std::vector<Area::Block>{{side.shape, side.count, 0}}, 2),
        hosts(std::vector<Area::Block>{{side.shape, side.count, 0}}, 2);
    const Got got = access(true, false, form, opened.file, step.from[me], mine.base(), side, large);
    const Got of_host = access(false, false, form, opened.file, step.from[me], hosts.base(), side, large);
    EXPECT_EQ(got.result, of_host.result) << where;
    EXPECT_EQ(count_of(got.status, MPI_BYTE), count_of(of_host.status, MPI_BYTE)) << where;
    EXPECT_EQ(count_of(got.status, side.type), count_of(of_host.status, side.type)) << where;
    EXPECT_EQ(got.position, of_host.position) << where;
    const Shown shown(views, team.rank, step.from[me] * views.unit, bytes);
    if (shown.offsets.empty() || shown.offsets.back() < static_cast<Bytes>(expected.size())) {
      Memory content;
      for (const Bytes at : shown.offsets) content.push_back(expected[static_cast<std::size_t>(at)]);
      mine.expect(0, content);
      EXPECT_TRUE(mine.as_expected()) << where << ": " << mine.difference();
    }
  }
}

TEST_EACH_RANKS(1, 8, Files, OfRandomViewsHoldWhatWasWritten) {
  const int most = team.size <= 4 ? 3 : 1;
  for (int round = 0; round < std::min(rounds(most), most); ++round)
    random_round(team, run_seed() + 7919 * static_cast<std::uint32_t>(round), "round " + text(round));
}

/// A view of the columns of a matrix of doubles, and data for it.
struct Columns {
  static constexpr int rows = 128, wide = 96;
  explicit Columns(const Team& team)
      : tile("subarray(" + list({rows, Count{wide} * team.size}) + ", " + list({rows, wide}) + ", " +
             list({0, Count{wide} * team.rank}) + ", double)"),
        data(std::size_t{rows} * wide),
        team_(team) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = value(team.rank, static_cast<int>(i));
  }
  static double value(int rank, int i) { return 1e6 * rank + i; }
  void view(MPI_File file, MPI_Offset displacement = 0) const {
    succeeds(MPI_File_set_view(file, displacement, MPI_DOUBLE, tile, "native", MPI_INFO_NULL));
  }
  int write(MPI_File file, MPI_Status* status = MPI_STATUS_IGNORE) const {
    return MPI_File_write_all(file, data.data(), rows * wide, MPI_DOUBLE, status);
  }
  /// The file has the matrix from there on.
  void expect_in(const std::string& name, Bytes from = 0) const {
    MPI_Barrier(team_.comm);
    const Count all = Count{rows} * wide * team_.size;
    const Memory found = bytes_of(name, from, all * 8);
    ASSERT_EQ(static_cast<Count>(found.size()), all * 8);
    Count wrong = 0;
    for (Count i = 0; i < all; ++i) {
      double number = 0;
      std::memcpy(&number, found.data() + i * 8, 8);
      const Count row = i / (wide * team_.size), column = i % (wide * team_.size);
      wrong += number != value(static_cast<int>(column / wide), static_cast<int>(row * wide + column % wide));
    }
    EXPECT_EQ(wrong, 0);
    MPI_Barrier(team_.comm);
  }
  Committed tile;
  std::vector<double> data;

 private:
  const Team& team_;
};

/// True while Heddle keeps all such calls from the host.
template <class Call>
bool carried(const char* name, const Call& call) {
  const long before = pmpi_spy::calls(name);
  call();
  return pmpi_spy::calls(name) == before;
}

TEST_RANKS(4, Files, OfColumnsAreCarriedByHeddle) {
  const Columns columns(team);
  const Opened opened(team, true);
  columns.view(opened.file);
  MPI_Status status;
  const bool on = heddle_carries();
  EXPECT_EQ(on, carried("File_write_all", [&] { succeeds(columns.write(opened.file, &status)); }));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), columns.rows * columns.wide);
  MPI_Offset position = 0;
  MPI_File_get_position(opened.file, &position);
  EXPECT_EQ(position, columns.rows * columns.wide);
  // At once, this rank reads what it has written, by the same handle and without the others.
  std::vector<double> back(columns.data.size());
  succeeds(MPI_File_read_at(opened.file, 0, back.data(), static_cast<int>(back.size()), MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT_TRUE(!on || back == columns.data);  // a host's write may return before all others have written
  columns.expect_in(opened.name);
  std::fill(back.begin(), back.end(), 0);
  EXPECT_EQ(on, carried("File_read_at_all", [&] {
              succeeds(MPI_File_read_at_all(opened.file, 0, back.data(), static_cast<int>(back.size()), MPI_DOUBLE, &status));
            }));
  EXPECT_TRUE(back == columns.data);
  // The next tile follows.
  succeeds(columns.write(opened.file));
  columns.expect_in(opened.name, Bytes{8} * columns.rows * columns.wide * team.size);
}

// Heddle moves the data in the call that begins the access. The host refuses a second access before
// the end of the first, as it does alone.
TEST_RANKS(4, Files, OfSplitAccessesAreCarriedByHeddle) {
  const Columns columns(team);
  const Opened opened(team, true);
  columns.view(opened.file);
  const auto n = static_cast<int>(columns.data.size());
  MPI_Status status;
  succeeds(MPI_File_write_all_begin(opened.file, columns.data.data(), n, MPI_DOUBLE));
  if (heddle_carries()) columns.expect_in(opened.name);
  std::vector<double> back(columns.data.size());
  const int refused = MPI_File_read_all_begin(opened.file, back.data(), n, MPI_DOUBLE);
  const int of_host = PMPI_File_read_all_begin(opened.file, back.data(), n, MPI_DOUBLE);
  EXPECT_EQ(error_class(refused), error_class(of_host));
  EXPECT_NE(refused, MPI_SUCCESS);
  succeeds(MPI_File_write_all_end(opened.file, columns.data.data(), &status));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), n);
  columns.expect_in(opened.name);
  succeeds(MPI_File_read_at_all_begin(opened.file, 0, back.data(), n, MPI_DOUBLE));
  EXPECT_TRUE(!heddle_carries() || back == columns.data);
  succeeds(MPI_File_read_at_all_end(opened.file, back.data(), &status));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), n);
  EXPECT_TRUE(back == columns.data);
  const int ended_twice = MPI_File_read_at_all_end(opened.file, back.data(), &status);
  const int twice_by_host = PMPI_File_read_at_all_end(opened.file, back.data(), &status);
  EXPECT_EQ(error_class(ended_twice), error_class(twice_by_host));
}

TEST_RANKS(4, Files, BeyondFourGigabytes) {
  const Columns columns(team);
  const Opened opened(team, true);
  constexpr MPI_Offset far = (MPI_Offset{5} << 30) + 24;
  columns.view(opened.file, far);
  EXPECT_EQ(heddle_carries(), carried("File_write_all", [&] { succeeds(columns.write(opened.file)); }));
  columns.expect_in(opened.name, far);
  std::vector<double> back(columns.data.size());
  succeeds(MPI_File_seek(opened.file, 0, MPI_SEEK_SET));
  EXPECT_EQ(
      heddle_carries(), carried("File_read_all", [&] {
        succeeds(MPI_File_read_all(opened.file, back.data(), static_cast<int>(back.size()), MPI_DOUBLE, MPI_STATUS_IGNORE));
      }));
  EXPECT_TRUE(back == columns.data);
}

TEST_RANKS(4, Files, OfBlocksOfRowsThatOneRankLacks) {
  const Columns columns(team);
  const Opened opened(team, false);
  columns.view(opened.file);
  // Rank 2 has no data: a hole in the file that nobody writes.
  const int count = team.rank == 2 ? 0 : columns.rows * columns.wide;
  MPI_Status status;
  succeeds(MPI_File_write_at_all(opened.file, 0, columns.data.data(), count, MPI_DOUBLE, &status));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), count);
  MPI_Barrier(team.comm);  // a host's write may return before all others have written
  std::vector<double> back(columns.data.size());
  EXPECT_EQ(heddle_carries(), carried("File_read_at_all", [&] {
              succeeds(MPI_File_read_at_all(opened.file, 0, back.data(), count, MPI_DOUBLE, &status));
            }));
  EXPECT_EQ(count_of(status, MPI_DOUBLE), count);
  EXPECT_TRUE(count == 0 || back == columns.data);
}

TEST_RANKS(4, Files, OfOtherKindsAreTheHosts) {
  const Columns columns(team);
  const auto calls = [&](const char* name) { return pmpi_spy::calls(name); };
  {
    const Opened opened(team, true);
    columns.view(opened.file);
    succeeds(MPI_File_set_atomicity(opened.file, 1));
    const long before = calls("File_write_all");
    succeeds(columns.write(opened.file));
    EXPECT_EQ(calls("File_write_all"), before + 1) << "atomic";
    columns.expect_in(opened.name);
    succeeds(MPI_File_set_atomicity(opened.file, 0));
    succeeds(MPI_File_seek(opened.file, 0, MPI_SEEK_SET));
    EXPECT_EQ(heddle_carries(), carried("File_write_all", [&] { succeeds(columns.write(opened.file)); }));
    columns.expect_in(opened.name);
  }
  {
    // Each rank has rows: one piece of the file.
    const Opened opened(team, true);
    const MPI_Offset own = MPI_Offset{8} * columns.rows * columns.wide * team.rank;
    succeeds(MPI_File_set_view(opened.file, own, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
    const long before = calls("File_write_all");
    succeeds(columns.write(opened.file));
    EXPECT_EQ(calls("File_write_all"), before + 1) << "one piece";
    MPI_Barrier(team.comm);
    const Memory found = bytes_of(opened.name, own, Bytes{8} * columns.rows * columns.wide);
    EXPECT_EQ(std::memcmp(found.data(), columns.data.data(), found.size()), 0);
  }
  {
    // Another rank could write the bytes between the columns now.
    const Opened opened(team, true);
    columns.view(opened.file);
    const long before = calls("File_write_at_all");
    const int count = team.rank == 1 ? 0 : columns.rows * columns.wide;
    succeeds(MPI_File_write_at_all(opened.file, 0, columns.data.data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE));
    EXPECT_EQ(calls("File_write_at_all"), before + 1) << "bytes that nobody writes";
  }
  {
    // The end of the file: a short read.
    const Opened opened(team, true);
    columns.view(opened.file);
    succeeds(columns.write(opened.file));
    const long before = calls("File_read_at_all");
    std::vector<double> back(columns.data.size());
    MPI_Status status;
    succeeds(MPI_File_read_at_all(opened.file, columns.wide, back.data(), static_cast<int>(back.size()), MPI_DOUBLE, &status));
    EXPECT_EQ(calls("File_read_at_all"), before + 1) << "beyond the end";
  }
}

TEST_RANKS(2, Files, OfNamesThatMeanOtherFilesAreLeftAlone) {
  const Columns columns(team);
  const Opened opened(team, true);
  MPI_Barrier(team.comm);
  if (team.rank == 0) {  // another file takes the name
    unlink(opened.name.c_str());
    close(open(opened.name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  }
  MPI_Barrier(team.comm);
  columns.view(opened.file);
  succeeds(columns.write(opened.file));
  EXPECT_TRUE(bytes_of(opened.name, 0, 100).empty());
  std::vector<double> back(columns.data.size());
  succeeds(MPI_File_read_at_all(opened.file, 0, back.data(), static_cast<int>(back.size()), MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT_TRUE(back == columns.data);
}

TEST_RANKS(4, Files, OfAFullDiskRaiseTheErrorOfTheHost) {
  const Columns columns(team);
  const Opened opened(team, false);
  columns.view(opened.file);
  succeeds(columns.write(opened.file));  // all that the exchange needs is there
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit narrow{rlim_t{3} * columns.rows * columns.wide * 8, before.rlim_max};  // less than the matrix
  const auto bytes = static_cast<int>(columns.data.size());
  MPI_Barrier(team.comm);
  setrlimit(RLIMIT_FSIZE, &narrow);
  const int result = MPI_File_write_at_all(opened.file, bytes, columns.data.data(), bytes, MPI_DOUBLE, MPI_STATUS_IGNORE);
  const int of_host = PMPI_File_write_at_all(opened.file, bytes, columns.data.data(), bytes, MPI_DOUBLE, MPI_STATUS_IGNORE);
  if (host_splits) {  // it fails, too, perhaps on some ranks only; all ranks end it
    MPI_File_write_at_all_begin(opened.file, bytes, columns.data.data(), bytes, MPI_DOUBLE);
    MPI_File_write_at_all_end(opened.file, columns.data.data(), MPI_STATUS_IGNORE);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(error_class(result), error_class(of_host));
  columns.expect_in(opened.name);
  // With room again, Heddle carries the access.
  succeeds(MPI_File_seek(opened.file, bytes, MPI_SEEK_SET));
  EXPECT_EQ(heddle_carries(), carried("File_write_all", [&] { succeeds(columns.write(opened.file)); }));
  columns.expect_in(opened.name, Bytes{8} * bytes * team.size);
}

}  // namespace
}  // namespace heddle::test::files_tests
