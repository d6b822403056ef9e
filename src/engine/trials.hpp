// engine/trials.hpp: the trials of one communicator's blocking collectives
// (select/collective/trial.hpp): whose way a call goes, how long it takes, and which calls need not
// ask.
//
//   TimedCall timed;                                            // at the top of the call, so that its end is the call's
//   if (trials.library(kind, timed)) return {};                 // on all ranks alike; the library carries the call out
//
// On one node, whose clock is one, a call takes from when the last rank comes to when the last one leaves; where ranks share
// cores, from when the first one comes: what it does before the others come is done in their time. Clocks of several nodes
// differ: there a call takes what all ranks together spend in it, waiting for late ones included.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/agreement.hpp"
#include "engine/reductions.hpp"
#include "select/collective/trial.hpp"

namespace heddle::engine {

/// Writes down when it goes out of scope, if anybody asks.
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
  /// A trial has it that the library carries the call out.
  void give_to_library() noexcept { library_ = true; }
  [[nodiscard]] bool is_librarys() const noexcept { return library_; }

 private:
  std::int64_t* end_ = nullptr;
  Now now_;  // if end_
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
  /// By reductions from 1 on. @param clock  The same on all ranks.
  Trials(Reductions& reductions, Clock clock, TimedCall::Now now = steady) noexcept;
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
  static std::int64_t steady() noexcept;
  One* of(const TrialKind& kind);
  void begin_reduction(One& one) const noexcept;

  Reductions& reductions_;
  Clock clock_;
  TimedCall::Now now_;
  bool last_ = false;
  One* one_ = nullptr;  ///< Of the last one; null: there are too many.
  std::vector<std::unique_ptr<One>> all_;
};

/// Calls that go the library's way without a look at them: the last one of all ranks did, of the same procedure, and nothing is
/// due in the next ones. Of procedures whose trials do not depend on the arguments, or of calls that are alike in what they
/// depend on, of which all ranks know a digest.
class Passing {
 public:
  /// Whether a blocking call is one of them.
  [[nodiscard]] bool passes(TrialKind::Call call, std::uint64_t digest = 0) noexcept {
    if (left_ == 0 || call_ != call || digest_ != digest) return false;
    --left_;
    return true;
  }
  /// This call has gone the library's way: the next ones may pass. @param agreement  Null: the call has not asked it.
  void begin(TrialKind::Call call, Trials& trials, Agreement* agreement, std::uint64_t digest = 0) noexcept {
    trials_ = &trials;
    agreement_ = agreement;
    call_ = call;
    digest_ = digest;
    left_ = granted_ = agreement ? std::min(agreement->quiet(), trials.quiet()) : trials.quiet();
  }
  /// Before they are asked: what has passed without asking counts there.
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
