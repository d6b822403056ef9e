// bench/common/stage.hpp: synchronizes the ranks of a node without MPI. They share a page for
// turns, time stamps of one clock, and verdicts. MPI only serves to find the page.
//
//   Stage stage{MPI_COMM_WORLD, crowded};
//   stage.meet();                                   // all leave together, without a message that would warm up MPI
//   if (stage.rank() == 1) stage.start(), PMPI_Send(...);
//   if (stage.rank() == 0) PMPI_Recv(...), stage.end();
//   stage.meet();
//   stage.ended(0) - stage.started(1);              // nanoseconds: all processes of a node share CLOCK_MONOTONIC
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace heddle::bench {

/// Wall-clock time in ns, the same for all processes of a node.
double wall_ns();

class Stage {
 public:
  /// Collective over `comm`, whose ranks are on one node. `crowded`: more ranks than cores, so
  /// waiting ranks give way. Throws std::runtime_error if the page cannot be shared.
  Stage(MPI_Comm comm, bool crowded);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  void meet();  ///< A barrier.

  void start();  ///< Takes the first time stamp. Others may read it after the next meet(), until the meet() after that.
  void end();    ///< Takes the second time stamp.
  double started(int rank) const;
  double ended(int rank) const;

  /// True if a rank lost its core to another process between its stamps. Always false with more
  /// ranks than cores, and if the effect of other processes is measured (environment variable
  /// BENCH_DISTURBED).
  bool disturbed() const;

  /// Returns rank 0's value on all ranks.
  std::int64_t from_first(std::int64_t value);
  /// Returns the least value of all ranks.
  std::int64_t least(std::int64_t value);

  /// Nanoseconds of a cache line from rank 0 to rank 1: the best group of 50 round trips, halved.
  /// Collective. 0: there is no rank 1, or there are more ranks than cores.
  double line_ns(long trips = 4000);

 private:
  struct Page;
  void wait_for(int rank, std::uint64_t turn);

  int rank_ = 0, ranks_ = 1;
  bool crowded_;
  bool tells_;  // detects the loss of a core
  long evictions_ = 0;
  std::uint64_t turn_ = 0;
  Page* page_ = nullptr;
  MPI_Comm progress_ = MPI_COMM_NULL;
};

}  // namespace heddle::bench
