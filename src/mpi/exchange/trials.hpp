// mpi/exchange/trials.hpp: the trials of one communicator's blocking collectives (select/collective/trial.hpp): whose way a
// call goes, and how long it takes. Includes host.hpp, select/.
//
//   TimedCall timed;                                            // at the top of the call, so that its end is the call's
//   if (own.trials().library(kind, timed)) return {};           // on all ranks alike; the library carries the call out
//
// On one node, whose clock is one, a call takes from when the last rank comes to when the last one leaves; where ranks share
// cores, from when the first one comes: what it does before the others come is done in their time. Clocks of several nodes
// differ: there a call takes what all ranks together spend in it, waiting for late ones included.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/process/host.hpp"
#include "select/collective/trial.hpp"

namespace heddle::mpi {

/// Writes down when it goes out of scope, if anybody asks.
class TimedCall {
 public:
  TimedCall() = default;
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;
  ~TimedCall() {
    if (end_) *end_ = now();
  }
  void ends_at(std::int64_t& end) noexcept { end_ = &end; }
  /// A trial has it that the library carries the call out.
  void give_to_library() noexcept { library_ = true; }
  [[nodiscard]] bool is_librarys() const noexcept { return library_; }
  /// Nanoseconds.
  static std::int64_t now() noexcept;

 private:
  std::int64_t* end_ = nullptr;
  bool library_ = false;
};

/// Of which calls a trial is: the same on all ranks.
struct TrialKind {
  enum class Call : std::uint8_t {
    alltoall,
    alltoallv,
    alltoallw,
    allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_alltoallw,
    neighbor_allgather,
    neighbor_allgatherv
  } call;
  std::uint64_t volumes = 0;  ///< Equal for such as are alike; 0 of neighbours', which not all ranks know.
  std::uint64_t way = 0;      ///< Equal for equal ways of Heddle's.
  bool warmed = false;        ///< Calls have come before, whose volumes were not known.
  bool operator==(const TrialKind&) const = default;
};

class Trials {
 public:
  enum class Clock : std::uint8_t { of_node, of_crowded_node, of_each };
  /// @param own  A communicator of Heddle's with these ranks. @param clock  The same on all of them.
  Trials(MPI_Comm own, Clock clock) noexcept;
  /// Waits for what is under way: its memory is here.
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  /// The next call of that kind: whether it goes the library's way. Throws std::bad_alloc.
  bool library(const TrialKind& kind, TimedCall& timed);
  /// Whether the last one did.
  [[nodiscard]] bool last() const noexcept { return last_; }
  // Of the last one's kind: calls from the next one on in which nothing is due; so many have gone without asking.
  [[nodiscard]] std::int64_t quiet() const noexcept;
  void skip(std::int64_t calls) noexcept;

 private:
  struct One;
  One* of(const TrialKind& kind);
  void begin_reduction(One& one) const noexcept;

  MPI_Comm own_;
  Clock clock_;
  bool last_ = false;
  One* one_ = nullptr;  ///< Of the last one; null: there are too many.
  std::vector<std::unique_ptr<One>> all_;
};

}  // namespace heddle::mpi
