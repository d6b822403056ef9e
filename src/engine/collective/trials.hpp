// engine/collective/trials.hpp: trials of one communicator's blocking collectives
// (select/collective/trial.hpp). They time calls, choose between Heddle's way and the library's,
// and tell which calls need not ask.
//
//   TimedCall timed;                                            // at the top of the call, so that its end is the call's
//   if (trials.library(kind, timed)) return {};                 // on all ranks alike; the library carries the call out
//
// The ranks of one node have one clock. There a call takes the time from the arrival of the last
// rank until the last rank leaves. If ranks share cores, it counts from the arrival of the first
// rank, because a rank that comes early takes core time from the others. Clocks of several nodes
// differ. There a call takes the sum of the times that all ranks spend in it, including waits for
// late ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collective/reductions.hpp"
#include "engine/collective/volume_agreement.hpp"
#include "select/collective/trial.hpp"

namespace heddle::engine {

/// Writes down the time at which it goes out of scope, if a trial asks.
class TimedCall {
 public:
  /// Nanoseconds.
  using Now = std::int64_t (*)() noexcept;
  TimedCall() = default;
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;
  ~TimedCall() {
    if (end_) *end_ = now_();
  }
  void ends_at(std::int64_t& end, Now now) noexcept {
    end_ = &end;
    now_ = now;
  }
  /// The trial lets the library carry out the call.
  void give_to_library() noexcept { library_ = true; }
  [[nodiscard]] bool is_librarys() const noexcept { return library_; }

 private:
  std::int64_t* end_ = nullptr;
  Now now_;  // if end_
  bool library_ = false;
};

/// The kind of calls that a trial is about. The same on all ranks.
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
  std::uint64_t volumes = 0;  ///< Equal for volumes that are alike. 0 for neighbours: not all ranks know their volumes.
  std::uint64_t choice = 0;   ///< Equal for equal choices of Heddle's.
  bool warmed = false;        ///< Calls with unknown volumes have come before.
  bool operator==(const TrialKind&) const = default;
};

class Trials {
 public:
  enum class Clock : std::uint8_t { of_node, of_crowded_node, of_each };
  /// Uses reductions 1 and following.
  /// @param clock  The same on all ranks.
  Trials(Reductions& reductions, Clock clock, TimedCall::Now now = steady) noexcept;
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  /// Takes the next call of that kind. True: it goes the library's way. Throws std::bad_alloc.
  bool library(const TrialKind& kind, TimedCall& timed);
  /// True: the last call went the library's way.
  [[nodiscard]] bool last() const noexcept { return last_; }
  // quiet(): the number of following calls of the last call's kind in which nothing is due. skip():
  // so many calls have gone without asking.
  [[nodiscard]] std::int64_t quiet() const noexcept;
  void skip(std::int64_t calls) noexcept;

 private:
  struct One;
  static std::int64_t steady() noexcept;
  One* of(const TrialKind& kind);
  void begin_reduction(One& one) const noexcept;

  Reductions& reductions_;
  Clock clock_;
  TimedCall::Now now_;
  bool last_ = false;
  One* one_ = nullptr;  ///< Trial of the last call; null: there are too many kinds.
  std::vector<std::unique_ptr<One>> all_;
};

/// Lets calls go the library's way without a look at them. On all ranks the last call of the same
/// procedure has gone the library's way, and nothing is due in the next ones. This is for
/// procedures whose trials do not depend on the arguments. It is also for calls whose trial depends
/// on arguments that are alike: all ranks know a digest of these.
class Passing {
 public:
  /// True: this blocking call goes without a look.
  [[nodiscard]] bool passes(TrialKind::Call call, std::uint64_t digest = 0) noexcept {
    if (left_ == 0 || call_ != call || digest_ != digest) return false;
    --left_;
    return true;
  }
  /// This call has gone the library's way: the next ones may pass.
  /// @param agreement  Null: the call has not asked it.
  void begin(TrialKind::Call call, Trials& trials, Agreement* agreement, std::uint64_t digest = 0) noexcept {
    trials_ = &trials;
    agreement_ = agreement;
    call_ = call;
    digest_ = digest;
    left_ = granted_ = agreement ? std::min(agreement->quiet(), trials.quiet()) : trials.quiet();
  }
  /// Called before trials and agreement are asked. Tells them the number of calls that have passed.
  void stop() noexcept {
    const std::int64_t passed = granted_ - left_;
    left_ = granted_ = 0;
    if (passed == 0) return;
    trials_->skip(passed);
    if (agreement_) agreement_->skip(passed);
  }

 private:
  std::int64_t left_ = 0, granted_ = 0;
  TrialKind::Call call_{};
  std::uint64_t digest_ = 0;
  Trials* trials_ = nullptr;
  Agreement* agreement_ = nullptr;
};

}  // namespace heddle::engine
