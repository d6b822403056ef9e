// engine/ways.hpp: what is remembered of one communicator to choose by which way each of its
// blocking collectives goes: what was wished for it, what its ranks have agreed on, and what trials
// have shown.
//
//   Ways ways(reductions, {.alltoallv = "auto", .allgatherv = "auto", .trials = true});
//   if (ways.passes(kind.call)) ...                                       // the library's, without a look at it
//   ways.stop();
//   ... ways.alltoallv(), ways.agreement().next(...) ...
//   if (ways.library(kind, timed, Ways::Next::passes, where)) ...         // the library's: it is quicker, or due to be timed
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/agreement.hpp"
#include "engine/gather_ways.hpp"
#include "engine/trials.hpp"
#include "select/collective/hints.hpp"

namespace heddle::engine {

class Ways {
 public:
  struct Settings {
    std::string alltoallv, allgatherv;  ///< Names of algorithms, auto or native.
    bool trials = true;
    bool passing = true;  ///< False: each call is looked at.
  };

  Ways(Reductions& reductions, Settings settings) noexcept : reductions_(reductions), settings_(std::move(settings)) {}

  /// As settings: the communicator's hint goes before.
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

  /// For one collective at a time, as MPI has it for those that block; so all that follows.
  [[nodiscard]] Agreement& agreement() noexcept {
    if (!agreement_) agreement_.emplace(reductions_);
    return *agreement_;
  }
  [[nodiscard]] GatherWays& gathers() noexcept { return gathers_; }

  /// Whether a blocking call goes the library's way without a look at it.
  [[nodiscard]] bool passes(TrialKind::Call call) noexcept { return passing_.passes(call); }
  /// The same of a gather of those bytes (VolumesDigest). Also where no trial is needed to say so.
  [[nodiscard]] bool passes_gather(std::uint64_t digest) noexcept {
    return gathers_.leaves(digest) || passing_.passes(TrialKind::Call::allgatherv, digest);
  }
  /// Before agreement() or library() are asked.
  void stop() noexcept { passing_.stop(); }

  /// What becomes of the calls after one that goes the library's way.
  enum class Next : std::uint8_t {
    asks,           ///< Each asks: its trial depends on the arguments.
    passes,         ///< They may pass.
    passes_agreed,  ///< Likewise; this one has asked agreement().
    passes_alike,   ///< Likewise, if they gather the same bytes as gathers() was last asked for.
  };
  /// Whether the library's way has turned out to be quicker for the next call of that kind, or is due to be timed; on all ranks
  /// alike. @param where  const select::Where&(), asked at the first call. Throws std::bad_alloc.
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
  /// Whether the last of them went the library's way.
  [[nodiscard]] bool went_library() const noexcept { return trials_ && trials_->last(); }

  [[nodiscard]] static Trials::Clock clock_of(const select::Where& where) noexcept {
    if (where.nodes > 1) return Trials::Clock::of_each;
    return where.crowding > 1 ? Trials::Clock::of_crowded_node : Trials::Clock::of_node;
  }

 private:
  Reductions& reductions_;
  Settings settings_;
  select::Hints hints_;
  GatherWays gathers_;
  std::optional<Agreement> agreement_;
  std::optional<Trials> trials_;
  Passing passing_;
};

}  // namespace heddle::engine
