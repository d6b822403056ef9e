// bench/one_sided/main.cpp: rank 1 puts data into the window of rank 0, and gets data from it. Both
// sides have the same datatype. Prints JSON lines.
//
//   heddle run -n 2 -- heddle-bench-one-sided-mpich --windows allocate
//
// The windows are of these kinds:
//
//   allocate     MPI_Win_allocate. Rank 1 holds a lock, which conflicts with no other. The time is that
//                of one operation and MPI_Win_flush.
//   create       MPI_Win_create, as above. An empty message to rank 0 is part of the time: rank 0 waits
//                in the library, which then makes progress there.
//   fence        MPI_Win_create. The time is that of one operation and MPI_Win_fence.
//
// The ways are:
//
//   host         the library's datatypes, by PMPI_ names
//   interposed   the same by MPI_ names
//   contiguous   the same bytes without holes, by PMPI_ names
#include <mpi.h>

#include <algorithm>
#include <memory>

#include "common/command_line.hpp"
#include "common/datatype.hpp"
#include "common/job.hpp"
#include "common/memory.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"

namespace heddle::bench::one_sided {
namespace {

struct Options {
  std::vector<std::string> windows = {"allocate", "create", "fence"};
  std::vector<std::string> ways = {"host", "interposed", "contiguous"};
  bool quick = false;
  double budget_ms = 400;
};

using Word = std::int32_t;
constexpr int tag = 5;

/// A datatype of 32-bit words, and their places.
struct Shape {
  std::string name;
  Type type;
  std::vector<Word> places;  ///< In the order of the packed stream.
  Word words;                ///< One past the last place.

  Shape(std::string name_, Type type_) : name(std::move(name_)), type(std::move(type_)) {
    MPI_Type_commit(type.address());
    MPI_Aint low = 0, extent = 0;
    int size = 0, at = 0;
    PMPI_Type_get_true_extent(type, &low, &extent);
    PMPI_Type_size(type, &size);
    words = static_cast<Word>((low + extent) / static_cast<MPI_Aint>(sizeof(Word)));
    std::vector<Word> all(static_cast<std::size_t>(words));
    for (Word i = 0; i < words; ++i) all[static_cast<std::size_t>(i)] = i;
    places.resize(static_cast<std::size_t>(size) / sizeof(Word));
    PMPI_Pack(all.data(), 1, type, places.data(), size, &at, MPI_COMM_SELF);
  }
  [[nodiscard]] int bytes() const { return static_cast<int>(places.size() * sizeof(Word)); }
};

std::vector<Shape> shapes() {
  std::vector<Shape> made;
  for (const int columns : {16, 64, 1024})
    made.emplace_back("128 × " + std::to_string(columns), vector(128, columns, 4096, MPI_INT));
  made.emplace_back("face", box({130, 130, 130}, {128, 128, 1}, {1, 1, 1}, MPI_DOUBLE));
  made.emplace_back("block", box({130, 130, 130}, {64, 64, 64}, {1, 1, 1}, MPI_DOUBLE));
  return made;
}

/// A window of memory of each rank. Rank 1 has locked that of rank 0, or both are in an epoch of a
/// fence.
class Window {
 public:
  Window(const std::string& kind, bool interposed, long bytes)
      : interposed_(interposed),
        fenced_(kind == "fence"),
        own_(kind != "allocate" ? static_cast<std::size_t>(bytes) : 1, Origin::malloc) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    PMPI_Comm_rank(comm, &rank_);
    if (kind != "allocate") {
      base_ = own_.data();
      (interposed ? MPI_Win_create : PMPI_Win_create)(base_, bytes, 1, MPI_INFO_NULL, comm, &win_);
    } else {
      (interposed ? MPI_Win_allocate : PMPI_Win_allocate)(bytes, 1, MPI_INFO_NULL, comm, &base_, &win_);
    }
    if (fenced_)
      fence(MPI_MODE_NOPRECEDE);
    else if (rank_ == 1)
      (interposed ? MPI_Win_lock : PMPI_Win_lock)(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win_);
  }
  ~Window() {
    if (fenced_)
      fence(MPI_MODE_NOSUCCEED);
    else if (rank_ == 1)
      (interposed_ ? MPI_Win_unlock : PMPI_Win_unlock)(0, win_);
    (interposed_ ? MPI_Win_free : PMPI_Win_free)(&win_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  [[nodiscard]] Word* base() const { return reinterpret_cast<Word*>(base_); }
  [[nodiscard]] MPI_Win handle() const { return win_; }
  [[nodiscard]] bool fenced() const { return fenced_; }
  void fence(int assertion) const { (interposed_ ? MPI_Win_fence : PMPI_Win_fence)(assertion, win_); }

 private:
  bool interposed_;
  bool fenced_;
  int rank_ = 0;
  Memory own_;
  std::byte* base_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

/// The memory of both sides: that of rank 0 is the window's.
struct Sides {
  const Shape& shape;
  Word* memory;
  bool flat;

  [[nodiscard]] Word& word(std::size_t i) const { return memory[flat ? static_cast<Word>(i) : shape.places[i]]; }
  void write(long number) const {
    for (std::size_t i = 0; i < shape.places.size(); ++i) word(i) = static_cast<Word>(i) + static_cast<Word>(number);
  }
  void wipe() const { std::fill_n(memory, shape.words, -1); }
  /// Compares with message 0.
  [[nodiscard]] std::string compare() const {
    for (std::size_t i = 0; i < shape.places.size(); ++i)
      if (word(i) != static_cast<Word>(i)) return "word " + std::to_string(i) + " is not what was written";
    const auto untouched = static_cast<std::size_t>(std::count(memory, memory + shape.words, -1));
    return untouched + shape.places.size() == static_cast<std::size_t>(shape.words) ? "" : "a hole was written";
  }
};

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), stage_{MPI_COMM_WORLD, crowded(2)}, report_{stage_, "one-sided"} {
    pace_.budget_ns = options.budget_ms * 1e6;
    if (options.quick) pace_ = {.rounds = 12, .at_least = 3, .budget_ns = options.budget_ms * 1e5};
  }

  bool run() {
    const std::vector<Shape> all = shapes();
    report_.plan(2 * std::ssize(all) * std::ssize(options_.windows));
    for (const std::string& kind : options_.windows)
      for (const Shape& shape : all) {
        const long bytes = shape.words * static_cast<long>(sizeof(Word));
        const Window host(kind, false, bytes), own(kind, true, bytes);
        const Memory origin{static_cast<std::size_t>(bytes), Origin::malloc};
        for (const bool put : {true, false}) time(kind, shape, put, host, own, origin);
      }
    return report_.all_right();
  }

 private:
  template <class Operation, class Flush>
  Way way(std::string name, const std::string& kind, const Window& window, const Memory& origin, const Shape& shape, bool flat,
          bool put, Operation operation, Flush flush) {
    const bool first = stage_.rank() == 0;
    const Sides mine{shape, first ? window.base() : origin.as<Word>(), flat};
    const bool writes = put != first;
    const bool tells = kind == "create";
    const MPI_Datatype type = flat ? MPI_BYTE : static_cast<MPI_Datatype>(shape.type);
    const int count = flat ? shape.bytes() : 1;
    return {std::move(name),
            [=](long number) {
              if (writes)
                mine.write(number);
              else if (number == 0)
                mine.wipe();
            },
            [=, &window](long) {
              if (window.fenced()) {
                if (!first) operation(mine.memory, count, type, 0, 0, count, type, window.handle());
                return window.fence(0);
              }
              if (first) {
                if (tells) PMPI_Recv(nullptr, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                return;
              }
              operation(mine.memory, count, type, 0, 0, count, type, window.handle());
              flush(0, window.handle());
              if (tells) PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
            },
            [=] { return writes ? std::string() : mine.compare(); }};
  }

  void time(const std::string& kind, const Shape& shape, bool put, const Window& host, const Window& own,
            const Memory& origin) {
    std::vector<Way> ways;
    const auto hosts = [&](const char* name, bool flat) {
      ways.push_back(put ? way(name, kind, host, origin, shape, flat, put, PMPI_Put, PMPI_Win_flush)
                         : way(name, kind, host, origin, shape, flat, put, PMPI_Get, PMPI_Win_flush));
    };
    hosts("host", false);
    ways.push_back(put ? way("interposed", kind, own, origin, shape, false, put, MPI_Put, MPI_Win_flush)
                       : way("interposed", kind, own, origin, shape, false, put, MPI_Get, MPI_Win_flush));
    hosts("contiguous", true);
    const std::string name = kind + ", " + shape.name;
    choose(ways, options_.ways);
    report_.check(ways, name);
    report_.measured(ways, Clock::sender, pace_,
                     {{"case", name}, {"metric", put ? "put" : "get"}, {"bytes", static_cast<long>(shape.bytes())}});
    report_.done(name);
  }

  const Options& options_;
  Stage stage_;
  Report report_;
  Pace pace_;
};

}  // namespace
}  // namespace heddle::bench::one_sided

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::one_sided::Options options;
  heddle::bench::CommandLine line{"MPI_Put and MPI_Get of datatypes between two ranks; prints JSON lines."};
  line.option("--windows", options.windows, "Kinds of windows").one_of({"allocate", "create", "fence"});
  line.option("--ways", options.ways, "Ways").one_of({"host", "interposed", "contiguous"});
  line.option("--budget", options.budget_ms, "Milliseconds for each case").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 2, [&] { return heddle::bench::one_sided::Bench(options).run(); });
}
