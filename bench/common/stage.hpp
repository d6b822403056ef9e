// bench/common/stage.hpp: the ranks of a node outside MPI. They share a page for turns, stamps of one clock, and verdicts.
// Includes MPI to find the page only.
//
//   Stage stage{MPI_COMM_WORLD};
//   stage.meet();                                   // all leave together, without a message that would warm MPI up
//   if (stage.rank() == 1) stage.start(), PMPI_Send(...);
//   if (stage.rank() == 0) PMPI_Recv(...), stage.end();
//   stage.meet();
//   time stage.ended(0) - stage.started(1);         // nanoseconds: CLOCK_MONOTONIC is one for all processes of a node
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace heddle::bench {

/// Nanoseconds of the clock on the wall, the same for all processes of a node.
double wall_ns();

class Stage {
 public:
  /// Collective over `comm`, whose ranks are on one node. `crowded`: more ranks than cores, so who waits gives way.
  /// Throws std::runtime_error if the page cannot be shared.
  Stage(MPI_Comm comm, bool crowded);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  void meet();  ///< Nobody leaves before everybody has come.

  void start();  ///< Stamps of this rank; readable by others after the next meeting ...
  void end();    ///< ... until the one after it.
  double started(int rank) const;
  double ended(int rank) const;

  /// Whether a rank lost its core to another process between its stamps. Always false with more ranks than cores, and if the
  /// effect of other processes is measured (BENCH_DISTURBED in the environment).
  bool disturbed() const;

  /// Rank 0's value for all.
  std::int64_t from_first(std::int64_t value);
  /// The least value of all ranks.
  std::int64_t least(std::int64_t value);

  /// Nanoseconds one way for a cache line between ranks 0 and 1, the best of so many round trips, by groups of 50. Collective.
  /// 0: there is no rank 1, or more ranks than cores.
  double line_ns(long trips = 4000);

 private:
  struct Page;
  void wait_for(int rank, std::uint64_t turn);

  int rank_ = 0, ranks_ = 1;
  bool crowded_;
  bool tells_;  // who has lost its core
  long evictions_ = 0;
  std::uint64_t turn_ = 0;
  Page* page_ = nullptr;
  MPI_Comm progress_ = MPI_COMM_NULL;
};

}  // namespace heddle::bench
