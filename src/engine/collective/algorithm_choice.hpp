// engine/collective/algorithm_choice.hpp: the facts about one communicator by which the algorithm
// of each of its blocking collectives is chosen: the user's wishes, the agreement of the ranks, and
// the results of trials.
//
//   AlgorithmChoice candidates(reductions, {.alltoallv = "auto", .allgatherv = "auto", .trials = true});
//   if (candidates.passes(kind.call)) ...                                       // the library's, without a look at it
//   candidates.stop();
//   ... candidates.alltoallv(), candidates.agreement().next(...) ...
//   if (candidates.library(kind, timed, AlgorithmChoice::Next::passes, where)) ...  // quicker, or due to be timed
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/collective/gather_choice.hpp"
#include "engine/collective/trials.hpp"
#include "engine/collective/volume_agreement.hpp"
#include "select/collective/hints.hpp"

namespace heddle::engine {

class AlgorithmChoice {
 public:
  struct Settings {
    std::string alltoallv, allgatherv;  ///< Names of algorithms, auto or native.
    bool trials = true;
    bool passing = true;  ///< False: each call is looked at.
  };

  AlgorithmChoice(Reductions& reductions, Settings settings) noexcept
      : reductions_(reductions), settings_(std::move(settings)) {}

  /// The communicator's hint, or else the setting.
  [[nodiscard]] const std::string& alltoallv() const noexcept {
    return hints_.alltoallv.empty() ? settings_.alltoallv : hints_.alltoallv;
  }
  [[nodiscard]] const std::string& allgatherv() const noexcept {
    return hints_.allgatherv.empty() ? settings_.allgatherv : hints_.allgatherv;
  }
  [[nodiscard]] select::Hints& hints() noexcept {
    stop();
    return hints_;
  }

  /// The members from here on are for one collective at a time. MPI allows only one blocking
  /// collective at a time.
  [[nodiscard]] Agreement& agreement() noexcept {
    if (!agreement_) agreement_.emplace(reductions_);
    return *agreement_;
  }
  [[nodiscard]] GatherChoice& gathers() noexcept { return gathers_; }

  /// True: a blocking call goes the library's way without a look at it.
  [[nodiscard]] bool passes(TrialKind::Call call) noexcept { return passing_.passes(call); }
  /// passes() for a gather of those bytes (VolumesDigest). Also true if no trial is needed to know
  /// it.
  [[nodiscard]] bool passes_gather(std::uint64_t digest) noexcept {
    return gathers_.leaves(digest) || passing_.passes(TrialKind::Call::allgatherv, digest);
  }
  /// Called before agreement() or library() is asked.
  void stop() noexcept { passing_.stop(); }

  /// The calls after a call that goes the library's way.
  enum class Next : std::uint8_t {
    asks,           ///< Each asks: its trial depends on the arguments.
    passes,         ///< They may pass.
    passes_agreed,  ///< They may pass. This call has asked agreement().
    passes_alike,   ///< They may pass if they gather the bytes that gathers() was last asked for.
  };
  /// True: the next call of that kind goes the library's way, which is quicker, or is due to be
  /// timed. The same on all ranks. Throws std::bad_alloc.
  /// @param where  const select::Where&(), called at the first call.
  template <class AskWhere>
  bool library(const TrialKind& kind, TimedCall& timed, Next next, const AskWhere& where) {
    if (!settings_.trials) return false;
    if (!trials_) trials_.emplace(reductions_, clock_of(where()));
    if (!trials_->library(kind, timed)) return false;
    if (next != Next::asks && settings_.passing)
      passing_.begin(kind.call, *trials_, next == Next::passes_agreed ? &agreement() : nullptr,
                     next == Next::passes_alike ? gathers_.digest() : 0);
    return true;
  }
  /// True: the last call that library() was asked for went the library's way.
  [[nodiscard]] bool went_library() const noexcept { return trials_ && trials_->last(); }

  [[nodiscard]] static Trials::Clock clock_of(const select::Where& where) noexcept {
    if (where.nodes > 1) return Trials::Clock::of_each;
    return where.crowding > 1 ? Trials::Clock::of_crowded_node : Trials::Clock::of_node;
  }

 private:
  Reductions& reductions_;
  Settings settings_;
  select::Hints hints_;
  GatherChoice gathers_;
  std::optional<Agreement> agreement_;
  std::optional<Trials> trials_;
  Passing passing_;
};

}  // namespace heddle::engine
