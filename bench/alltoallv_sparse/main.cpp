// bench/alltoallv_sparse/main.cpp: every rank exchanges messages with a few partners around it
// (Schliephake and Laure 2013, figures 1 to 6). Prints JSON lines.
//
//   heddle run -n 16 -- heddle-bench-alltoallv-sparse-mpich --bytes 8 512 --partners 26 --stride 1
//
// Ways:
//   host          PMPI_Alltoallv
//   interposed    heddle_exchange, by the way that HEDDLE_EXCHANGE names; without Heddle the header's
//                 own way. heddle_exchange also finds the senders
//   alltoallv X   MPI_Alltoallv by the algorithm X of --algorithms, on its own communicator with a hint.
//                 "alltoallv auto" is Heddle's choice
//
// Metric "agreeing": the time of a non-blocking reduction of eight numbers. If a call of
// MPI_Alltoallv exchanges volumes, it begins such a reduction. In a program, the reduction proceeds
// during other calls. Metric "every":
// one of so many calls exchanges volumes (one of up to 488 if volumes stay).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <list>

#include "common/command_line.hpp"
#include "common/give_way.hpp"
#include "common/job.hpp"
#include "common/report.hpp"
#include "heddle/exchange.h"

namespace heddle::bench::sparse {
namespace {

struct Options {
  std::vector<long> bytes = {8, 64, 512, 4096, 32768, 131072};
  std::vector<int> partners = {26};
  std::vector<int> strides = {1};
  std::vector<std::string> ways = {"host", "interposed"};
  std::vector<std::string> algorithms;
  bool quick = false;
  double budget_ms = 600;
};

/// The partners of `me`: me ± stride, me ± 2 stride, … around the ring, each rank once.
std::vector<int> partners_of(int me, int ranks, int many, int stride) {
  std::vector<int> found;
  std::vector<bool> is(static_cast<std::size_t>(ranks));
  for (int k = 1; k <= ranks && static_cast<int>(found.size()) < many; ++k)
    for (const int away : {k * stride, -k * stride}) {
      const int rank = ((me + away) % ranks + ranks) % ranks;
      if (rank == me || is[static_cast<std::size_t>(rank)] || static_cast<int>(found.size()) == many) continue;
      is[static_cast<std::size_t>(rank)] = true;
      found.push_back(rank);
    }
  std::ranges::sort(found);
  return found;
}

/// One exchange among all ranks. Its buffers are the same for all ways.
class Exchange {
 public:
  Exchange(int me, int ranks, int partners, int stride, long bytes) : me_(me), bytes_(bytes) {
    to_ = partners_of(me, ranks, partners, stride);
    for (int rank = 0; rank < ranks; ++rank)
      if (std::ranges::binary_search(partners_of(rank, ranks, partners, stride), me)) from_.push_back(rank);
    const auto all = static_cast<std::size_t>(ranks);
    send_counts_.resize(all), send_places_.resize(all), receive_counts_.resize(all), receive_places_.resize(all);
    for (std::size_t i = 0; i < to_.size(); ++i) fill(send_counts_, send_places_, to_[i], i);
    for (std::size_t i = 0; i < from_.size(); ++i) fill(receive_counts_, receive_places_, from_[i], i);
    counts_.assign(to_.size(), bytes);
    out_.resize(to_.size() * static_cast<std::size_t>(bytes) + 1);
    in_.resize(from_.size() * static_cast<std::size_t>(bytes) + 1);
  }

  void write(long number) {
    for (std::size_t i = 0; i < to_.size(); ++i) fill_with(out_, i, value(me_, to_[i], number));
    if (number == 0) std::ranges::fill(in_, static_cast<char>(-1));
  }
  [[nodiscard]] std::string compare() const {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      const auto begin = in_.begin() + static_cast<long>(i) * bytes_;
      const char wanted = value(from_[i], me_, 0);
      if (std::any_of(begin, begin + bytes_, [&](char is) { return is != wanted; }))
        return "rank " + std::to_string(me_) + " has not got what rank " + std::to_string(from_[i]) + " sent";
    }
    return {};
  }

  template <class Alltoallv>
  void alltoallv(Alltoallv call, MPI_Comm comm) {
    call(out_.data(), send_counts_.data(), send_places_.data(), MPI_CHAR, in_.data(), receive_counts_.data(),
         receive_places_.data(), MPI_CHAR, comm);
  }
  void exchange() {
    heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
    came.data = in_.data();
    came.room = static_cast<MPI_Count>(in_.size());
    heddle_exchange(out_.data(), static_cast<int>(to_.size()), to_.data(), counts_.data(), nullptr, MPI_CHAR, &came, MPI_CHAR,
                    MPI_COMM_WORLD);
    heddle_arrivals_free(&came);
  }

 private:
  static char value(int from, int to, long number) { return static_cast<char>((from * 31 + to * 7 + number) % 127); }
  void fill(std::vector<int>& counts, std::vector<int>& places, int rank, std::size_t i) const {
    counts[static_cast<std::size_t>(rank)] = static_cast<int>(bytes_);
    places[static_cast<std::size_t>(rank)] = static_cast<int>(static_cast<long>(i) * bytes_);
  }
  void fill_with(std::vector<char>& data, std::size_t i, char value) const {
    std::fill_n(data.begin() + static_cast<long>(i) * bytes_, bytes_, value);
  }

  int me_;
  long bytes_;
  std::vector<int> to_, from_, send_counts_, send_places_, receive_counts_, receive_places_;
  std::vector<MPI_Count> counts_;
  std::vector<char> out_, in_;
};

/// A communicator on which Heddle uses this algorithm.
class Hinted {
 public:
  explicit Hinted(const std::string& algorithm) : name_("alltoallv " + algorithm) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "heddle_alltoallv", algorithm.c_str());
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm_);
    MPI_Info_free(&info);
  }
  Hinted(const Hinted&) = delete;
  Hinted& operator=(const Hinted&) = delete;
  ~Hinted() { MPI_Comm_free(&comm_); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  /// Calls from one exchange of volumes to the next. 0: Heddle is not loaded.
  [[nodiscard]] double every() const {
    MPI_Info info = MPI_INFO_NULL;
    std::array<char, 32> text{};
    int there = 0;
    MPI_Comm_get_info(comm_, &info);
    MPI_Info_get(info, "heddle_alltoallv_every", static_cast<int>(text.size()) - 1, text.data(), &there);
    MPI_Info_free(&info);
    return there ? std::atof(text.data()) : 0;
  }

 private:
  std::string name_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::vector<Way> ways_of(Exchange& exchange, const Options& options, const std::list<Hinted>& hinted) {
  const auto way = [&exchange](std::string name, std::function<void(long)> act) -> Way {
    return {std::move(name), [&exchange](long number) { exchange.write(number); }, std::move(act),
            [&exchange] { return exchange.compare(); }};
  };
  std::vector<Way> ways = {
      way("host", [&exchange](long) { exchange.alltoallv(PMPI_Alltoallv, MPI_COMM_WORLD); }),
      way("interposed", [&exchange](long) { exchange.exchange(); }),
  };
  choose(ways, options.ways);
  for (const Hinted& one : hinted)
    ways.push_back(way(one.name(), [&exchange, &one](long) { exchange.alltoallv(MPI_Alltoallv, one.comm()); }));
  return ways;
}

void reduce(long /*number*/) {
  constexpr int numbers = 8;
  std::array<std::int64_t, numbers> mine{};
  std::array<std::int64_t, numbers> all{};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(mine.data(), all.data(), numbers, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

bool run(const Options& options) {
  int me = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const GiveWay give_way{crowded(ranks)};
  Stage stage{MPI_COMM_WORLD, crowded(ranks)};
  Report report{stage, "alltoallv-sparse"};
  Pace pace{.budget_ns = options.budget_ms * 1e6, .burst_ns = 1e7};
  if (options.quick) pace = {.rounds = 12, .at_least = 5, .budget_ns = options.budget_ms * 1e5, .burst_ns = 1e6};
  report.plan(std::ssize(options.bytes) * std::ssize(options.partners) * std::ssize(options.strides));
  for (const int partners : options.partners)
    for (const int stride : options.strides)
      for (const long bytes : options.bytes) {
        Exchange exchange(me, ranks, partners, stride, bytes);
        const std::string name =
            "partners=" + std::to_string(partners) + " stride=" + std::to_string(stride) + " bytes=" + std::to_string(bytes);
        // Each case has new communicators, because what the ranks have agreed on belongs to one
        // case.
        std::list<Hinted> hinted;
        for (const std::string& algorithm : options.algorithms) hinted.emplace_back(algorithm);
        std::vector<Way> ways = ways_of(exchange, options, hinted);
        // After these calls, the ranks know each other's volumes.
        for (int call = 0; call < 10; ++call)
          for (const Hinted& one : hinted) exchange.alltoallv(MPI_Alltoallv, one.comm());
        std::vector<std::pair<std::string, double>> every;  // taken now: the number grows while volumes stay
        every.reserve(hinted.size());
        for (const Hinted& one : hinted) every.emplace_back(one.name(), one.every());
        report.check(ways, name);
        report.measured(ways, Clock::everybody, pace, {{"case", name}, {"metric", "exchange"}, {"bytes", bytes}});
        std::vector<Way> agreeing = {{"reduction", [](long) {}, reduce, [] { return std::string(); }}};
        report.measured(agreeing, Clock::everybody, pace, {{"case", name}, {"metric", "agreeing"}, {"bytes", bytes}});
        for (const auto& [which, calls] : every)
          if (stage.rank() == 0 && calls > 0)
            report.counted({{"case", name}, {"metric", "every"}, {"bytes", bytes}}, which, "calls", calls);
        report.done(name);
      }
  return report.all_right();
}

}  // namespace
}  // namespace heddle::bench::sparse

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  heddle::bench::sparse::Options options;
  heddle::bench::CommandLine line{"A sparse exchange with partners around each rank; prints JSON lines."};
  line.option("--bytes", options.bytes, "Bytes for each partner").between(0, 1 << 24);
  line.option("--partners", options.partners, "Partners of each rank (fewer if there are not so many ranks)").between(0, 1024);
  line.option("--stride", options.strides, "Ranks from one partner to the next").between(1, 1024);
  line.option("--ways", options.ways, "host, interposed");
  line.option("--algorithms", options.algorithms,
              "Algorithms of MPI_Alltoallv under Heddle: auto, direct, crystal, bruck, ...");
  line.option("--budget", options.budget_ms, "Milliseconds for each case").between(1.0, 1e5);
  line.flag("--quick", options.quick, "Short and rough");
  if (const auto status = line.parse(argc, argv)) return *status;
  return heddle::bench::as_job(argc, argv, 2, 128, [&] { return heddle::bench::sparse::run(options); });
}
