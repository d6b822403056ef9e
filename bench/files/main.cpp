// bench/files/main.cpp: all ranks write an array to a file, and read it. Prints JSON lines.
//
//   HEDDLE_FILES=auto heddle run -n 4 -- heddle-bench-files-mpich --cases matrix --folder /dev/shm
//
// matrix    columns of a matrix of doubles, in contiguous memory and in memory with ghost cells
// blocks    a cube of doubles in blocks, in memory with ghost cells: HDF5's hyperslabs become such
//           types
// gap       memory of two blocks with a gap of 16 bytes. In the file, the data of a rank are one
//           piece, or columns of 16 bytes
// rows      a row of each rank, contiguous in memory and in the file
// lattice   a lattice of four dimensions in blocks, in memory with ghost cells; 8 and 24 bytes for
//           each site
//
// The time is that from the first rank's start to the last rank's end. Each word of the file is its
// own position. All ways are checked: the bytes of the file after a write, those of the memory
// after a read.
//
//   host         the library's collective access, by PMPI_ names (the case "gap, independent":
//                MPI_File_write_at and MPI_File_read_at)
//   interposed   the same by MPI_ names
//   by hand      loops that pack, MPI_Alltoallv, and one contiguous access by each rank, by PMPI_
//                names
//   bare disk    as many bytes, contiguous, by pwrite and pread
#include <mpi.h>
#include <unistd.h>

#include <algorithm>

#include "common/command_line.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/memory.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"
#include "files/by_hand.hpp"
#include "files/file.hpp"
#include "files/shape.hpp"

namespace heddle::bench::files {
namespace {

struct Options {
  std::vector<std::string> cases = {"matrix", "blocks", "gap", "rows", "lattice"};
  std::vector<std::string> ways = {"host", "interposed", "by hand", "bare disk"};
  std::string folder = "/dev/shm";
  bool quick = false;
  double budget_ms = 1000;
};

constexpr Word wiped = -1;

/// The data of a rank: in its memory, and in its row block of the file.
class Data {
 public:
  Data(const Shape& shape, const RowBlock& block)
      : shape_(shape),
        block_(block),
        memory_(bytes_of(shape.memory_words()), Origin::malloc),
        piece_(bytes_of(block.length), Origin::malloc) {
    wipe_memory();
  }

  [[nodiscard]] Word* memory() const { return memory_.as<Word>(); }
  [[nodiscard]] Word* piece() const { return piece_.as<Word>(); }

  void write_memory() const {
    each_row([&](Word* at, long place, long words) { count_up(at, place, words); });
  }
  void write_piece() const { count_up(piece(), block_.start, block_.length); }
  void wipe_memory() const { std::fill_n(memory(), shape_.memory_words(), wiped); }
  void wipe_piece() const { std::fill_n(piece(), block_.length, wiped); }

  [[nodiscard]] std::string compare_memory() const {
    bool right = true;
    each_row([&](const Word* at, long place, long words) { right = right && counts_up(at, place, words); });
    if (!right) return "the memory does not hold what the file holds";
    const long untouched = std::count(memory(), memory() + shape_.memory_words(), wiped);
    return untouched + shape_.words() == shape_.memory_words() ? "" : "memory around the data was written";
  }
  [[nodiscard]] std::string compare_piece(const char* fault) const {
    return counts_up(piece(), block_.start, block_.length) ? "" : fault;
  }

 private:
  static std::size_t bytes_of(long words) { return static_cast<std::size_t>(std::max(words, 1L) * word_bytes); }
  static void count_up(Word* at, long first, long words) {
    for (long i = 0; i < words; ++i) at[i] = static_cast<Word>(first + i);
  }
  static bool counts_up(const Word* at, long first, long words) {
    for (long i = 0; i < words; ++i)
      if (at[i] != static_cast<Word>(first + i)) return false;
    return true;
  }
  template <class Visit>
  void each_row(Visit visit) const {
    shape_.rows(0, shape_.whole[0], [&](long at, long place, long words) { visit(memory() + at, place, words); });
  }

  const Shape& shape_;
  const RowBlock& block_;
  Memory memory_, piece_;
};

/// The memory of a rank as arguments of MPI.
struct Argument {
  Type type;
  int count;

  explicit Argument(const Shape& shape)
      : type(shape.contiguous_memory() ? shape.element() : shape.memory_type()),
        count(shape.contiguous_memory() ? static_cast<int>(shape.words() / shape.site) : 1) {
    MPI_Type_commit(type.address());
  }
};

class Bench {
 public:
  Bench(const Options& options, int ranks)
      : options_(options), give_way_{crowded(ranks)}, stage_{MPI_COMM_WORLD, crowded(ranks)}, report_{stage_, "files"} {
    pace_ = {.at_least = 3, .budget_ns = options.budget_ms * 1e6};
    if (options.quick) pace_.budget_ns /= 10;
    name_ = options.folder + "/heddle-bench-files." + std::to_string(stage_.from_first(getpid()));
  }

  bool run() {
    const std::vector<Case> all = cases(options_.cases, options_.quick);
    report_.plan(2 * std::ssize(all));
    for (const Case& each : all) {
      std::vector<Shape> shapes;
      shapes.reserve(static_cast<std::size_t>(stage_.ranks()));
      for (int rank = 0; rank < stage_.ranks(); ++rank) shapes.push_back(each.shape(rank, stage_.ranks()));
      const Shape& mine = shapes[static_cast<std::size_t>(stage_.rank())];
      const RowBlock block(mine, stage_.rank(), stage_.ranks());
      const File file(name_, mine, each.view, block);
      const Data data(mine, block);
      ByHand by_hand(shapes, stage_.rank(), each.view);
      for (const bool write : {true, false}) time(each, mine, file, data, by_hand, write);
    }
    return report_.all_right();
  }

 private:
  /// A way that moves data between the file and the memory, or its own `piece`.
  static Way way(
      std::string name, const File& file, const Data& data, bool write, bool piece, const std::function<void()>& act,
      const std::function<void()>& before = [] {}) {
    return {std::move(name),
            [=, &file, &data](long number) {
              if (number == 0) {
                write ? data.wipe_piece() : data.write_piece();
                file.write(data.piece());
                piece ? data.wipe_piece() : data.wipe_memory();
              }
              if (write) piece ? data.write_piece() : data.write_memory();
              before();
            },
            [=](long) { act(); },
            [=, &file, &data]() -> std::string {
              if (!write && !piece) return data.compare_memory();
              if (write) {
                data.wipe_piece();
                file.read(data.piece());
              }
              return data.compare_piece(write ? "the file does not hold what was written" : "not what the file holds");
            }};
  }

  /// The library's access by these names.
  template <class At, class AtAll, class All, class Seek>
  static Way library(const char* name, const Case& one, const Shape& mine, const Argument& argument, const File& file,
                     const Data& data, bool write, MPI_File handle, At at, AtAll at_all, All all, Seek seek) {
    const MPI_Offset offset = one.view ? 0 : mine.file_start() * word_bytes;
    const int count = argument.count;
    const MPI_Datatype type = argument.type;
    Word* const memory = data.memory();
    if (one.pointer)
      return way(
          name, file, data, write, false, [=] { must(all(handle, memory, count, type, MPI_STATUS_IGNORE)); },
          [=] { must(seek(handle, offset, MPI_SEEK_SET)); });
    if (one.independent)
      return way(name, file, data, write, false, [=] { must(at(handle, offset, memory, count, type, MPI_STATUS_IGNORE)); });
    return way(name, file, data, write, false, [=] { must(at_all(handle, offset, memory, count, type, MPI_STATUS_IGNORE)); });
  }

  void time(const Case& one, const Shape& mine, const File& file, const Data& data, ByHand& by_hand, bool write) {
    const Argument argument(mine);
    const auto of = [&](const char* name, MPI_File handle, auto at, auto at_all, auto all, auto seek) {
      return library(name, one, mine, argument, file, data, write, handle, at, at_all, all, seek);
    };
    std::vector<Way> ways;
    const MPI_File host = file.host(), own = file.interposed();
    if (write) {
      ways.push_back(of("host", host, PMPI_File_write_at, PMPI_File_write_at_all, PMPI_File_write_all, PMPI_File_seek));
      ways.push_back(of("interposed", own, MPI_File_write_at, MPI_File_write_at_all, MPI_File_write_all, MPI_File_seek));
      ways.push_back(way("by hand", file, data, write, false, [&] { by_hand.write(file, data.memory()); }));
      ways.push_back(way("bare disk", file, data, write, true, [&] { file.write(data.piece()); }));
    } else {
      ways.push_back(of("host", host, PMPI_File_read_at, PMPI_File_read_at_all, PMPI_File_read_all, PMPI_File_seek));
      ways.push_back(of("interposed", own, MPI_File_read_at, MPI_File_read_at_all, MPI_File_read_all, MPI_File_seek));
      ways.push_back(way("by hand", file, data, write, false, [&] { by_hand.read(file, data.memory()); }));
      ways.push_back(way("bare disk", file, data, write, true, [&] { file.read(data.piece()); }));
    }
    choose(ways, options_.ways);
    const char* const metric = write ? "write" : "read";
    report_.check(ways, one.name + ", " + metric);
    report_.measured(ways, Clock::everybody, pace_,
                     {{"case", one.name}, {"metric", metric}, {"bytes", mine.total_words() * word_bytes}},
                     {.over = {"by hand", "host"}});
    report_.done(one.name);
  }

  const Options& options_;
  GiveWay give_way_;
  Stage stage_;
  Report report_;
  Pace pace_;
  std::string name_;
};

}  // namespace
}  // namespace heddle::bench::files

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::files::Options options;
  heddle::bench::CommandLine line{"Collective accesses to a file; prints JSON lines."};
  line.option("--cases", options.cases, "Groups of cases").one_of({"matrix", "blocks", "gap", "rows", "lattice"});
  line.option("--ways", options.ways, "Ways").one_of({"host", "interposed", "by hand", "bare disk"});
  line.option("--folder", options.folder, "Where the file is written").shows_default();
  line.option("--budget", options.budget_ms, "Milliseconds for each case").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 1, 64, [&] {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return heddle::bench::files::Bench(options, ranks).run();
  });
}
