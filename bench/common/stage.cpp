// bench/common/stage.cpp: see stage.hpp. All MPI calls use PMPI_ names: an interposer must see only
// the measured calls.
#include "common/stage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <ctime>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "common/give_way.hpp"

namespace heddle::bench {
namespace {

constexpr int most_ranks = 64;
constexpr double patience_ns = 100'000;  // after this time, a waiting rank lets MPI progress messages for others

std::runtime_error failed(const char* what) {
  return std::runtime_error(fmt::format("the ranks cannot share a page: {} ({})", what, std::strerror(errno)));
}

/// The number of times that this thread had to leave its core.
long evictions() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nivcsw;
}

inline void pause_briefly() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

double wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Each rank writes only to its own cache lines, so that waiting ranks disturb no other rank.
struct Stage::Page {
  struct alignas(128) Seat {
    std::atomic<std::uint64_t> turn{0};
    std::int64_t value[2] = {};
    alignas(128) double started = 0;
    double ended = 0;
    bool disturbed = false;
  };
  Seat seats[most_ranks];
  alignas(128) std::atomic<std::uint64_t> line{0};
};

Stage::Stage(MPI_Comm comm, bool crowded) : crowded_{crowded}, tells_{!crowded && !std::getenv("BENCH_DISTURBED")} {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &ranks_);
  if (ranks_ > most_ranks) throw std::runtime_error(fmt::format("at most {} ranks, not {}", most_ranks, ranks_));
  PMPI_Comm_dup(comm, &progress_);
  // Uses a memfd. A window of MPI would change the state of the library.
  int file = -1;
  long where[2] = {getpid(), -1};
  if (rank_ == 0) {
    file = memfd_create("heddle-bench", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, sizeof(Page)) == 0) where[1] = file;
  }
  PMPI_Bcast(where, 2, MPI_LONG, 0, comm);
  if (rank_ != 0 && where[1] >= 0) file = open(fmt::format("/proc/{}/fd/{}", where[0], where[1]).c_str(), O_RDWR | O_CLOEXEC);
  void* const memory = file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int fine = memory != MAP_FAILED, all_fine = 0;
  PMPI_Allreduce(&fine, &all_fine, 1, MPI_INT, MPI_MIN, comm);  // no rank closes it before all have opened it
  if (file >= 0) close(file);
  if (!all_fine) throw failed("not all ranks could map it; are they on one node, in one container?");
  page_ = static_cast<Page*>(memory);  // zero pages are a valid Page
}

Stage::~Stage() {
  if (page_ != nullptr) munmap(page_, sizeof(Page));
  if (progress_ != MPI_COMM_NULL) PMPI_Comm_free(&progress_);
}

void Stage::wait_for(int rank, std::uint64_t turn) {
  const std::atomic<std::uint64_t>& theirs = page_->seats[rank].turn;
  double since = 0;
  for (long spins = 0; theirs.load(std::memory_order_acquire) < turn; ++spins) {
    if (crowded_ && spins > 20) let_others_run();
    pause_briefly();
    if (spins % 64 != 63) continue;
    const double now = wall_ns();
    if (since == 0) since = now;
    if (now - since < patience_ns) continue;
    int found;
    PMPI_Iprobe(MPI_ANY_SOURCE, 0, progress_, &found, MPI_STATUS_IGNORE);
  }
}

void Stage::meet() {
  page_->seats[rank_].turn.store(++turn_, std::memory_order_release);
  for (int rank = 0; rank < ranks_; ++rank)
    if (rank != rank_) wait_for(rank, turn_);
}

void Stage::start() {
  if (tells_) evictions_ = evictions();
  page_->seats[rank_].started = wall_ns();
}

void Stage::end() {
  Page::Seat& seat = page_->seats[rank_];
  seat.ended = wall_ns();
  seat.disturbed = tells_ && evictions() != evictions_;
}

bool Stage::disturbed() const {
  return std::any_of(page_->seats, page_->seats + ranks_, [](const Page::Seat& seat) { return seat.disturbed; });
}

double Stage::started(int rank) const { return page_->seats[rank].started; }
double Stage::ended(int rank) const { return page_->seats[rank].ended; }

std::int64_t Stage::from_first(std::int64_t value) {
  // Two places alternate, so a fast rank does not overwrite a value that a slow rank has not read.
  const int place = static_cast<int>((turn_ + 1) % 2);
  page_->seats[rank_].value[place] = value;
  meet();
  return page_->seats[0].value[place];
}

std::int64_t Stage::least(std::int64_t value) {
  const int place = static_cast<int>((turn_ + 1) % 2);
  page_->seats[rank_].value[place] = value;
  meet();
  for (int rank = 0; rank < ranks_; ++rank) value = std::min(value, page_->seats[rank].value[place]);
  return value;
}

double Stage::line_ns(long trips) {
  if (ranks_ < 2 || crowded_) return 0;
  meet();
  constexpr std::uint64_t group = 50;
  double best = 1e9;
  if (rank_ < 2) {
    std::atomic<std::uint64_t>& line = page_->line;
    for (std::uint64_t first = 0; first < static_cast<std::uint64_t>(trips); first += group) {
      const double start = wall_ns();
      for (std::uint64_t trip = first; trip < first + group; ++trip) {
        // Rank 0 makes the number odd, rank 1 makes it even.
        while (line.load(std::memory_order_acquire) != 2 * trip + static_cast<std::uint64_t>(rank_)) pause_briefly();
        line.store(2 * trip + static_cast<std::uint64_t>(rank_) + 1, std::memory_order_release);
      }
      best = std::min(best, (wall_ns() - start) / (2 * group));
    }
  }
  meet();
  if (rank_ == 0) page_->line = 0;
  meet();
  return best;
}

}  // namespace heddle::bench
