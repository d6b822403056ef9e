// engine/file/access_order.hpp: the words of a node's ranks to each other in a collective access to
// a file, and the order of accesses in which they exchange no data. No MPI.
//
//   order.meet(mine, all, progress);                    // all ranks have come; all[rank] has the terms of each
//   if (order.agree(ready, progress)) ...               // it is so on all ranks
//
//   if (order.begin(fits, progress)) independent();     // as agree(): each rank may access its piece now
//   else collective();                                  // the library's
//   order.end();
//
// The standard does not order collective accesses of different ranks (MPI-5.0 §14.6.1). But
// libraries exchange words at the begin of each, so no rank begins an access before all ranks have
// ended the access before. Programs rely on this order: ranks write an array together, and read it
// at once with other shares.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/wait.hpp"
#include "engine/file/access_trial.hpp"
#include "engine/file/plan.hpp"

namespace heddle::engine::files {

/// The words of one rank about its part of an access.
struct AccessTerms {
  Accessed bytes;
  Bytes size = 0;  ///< Of the file.
  bool fits = false;
};

/// The words of a rank in memory that the other ranks of its node map for reading. Only their owner
/// writes them. Zeros at first.
struct AccessWords {
  using Counter = std::atomic<std::uint64_t>;
  alignas(64) Counter come;  ///< How often the rank has come to meet the others.
  std::atomic<int> votes;    ///< For the library (access_trial.hpp).
  AccessTerms terms[2];      ///< The last two meetings have one each: an odd and an even one.
};
static_assert(AccessWords::Counter::is_always_lock_free && std::atomic<int>::is_always_lock_free);

class AccessOrder {
 public:
  /// @param all  The words of the ranks that have opened the file.
  /// @param tries  The first accesses decide between the two ways. Otherwise all are independent.
  /// @param crowded  The node has more ranks than cores.
  AccessOrder(AccessWords& mine, std::vector<const AccessWords*> all, bool tries, bool crowded) noexcept
      : mine_(mine), all_(std::move(all)), trying_(tries), crowded_(crowded) {}

  /// Returns when all ranks have come.
  /// @param each  Gets rank and terms of each rank.
  /// @param progress  Called now and then in a wait: other ranks may need this rank's messages.
  void meet(const AccessTerms& mine, const auto& progress, const auto& each) noexcept {
    // A rank changes its terms again in the next meeting but one. All ranks must come to the next
    // meeting before that.
    const std::uint64_t number = mine_.come.load(std::memory_order_relaxed) + 1;
    mine_.terms[number % 2] = mine;
    mine_.come.store(number, std::memory_order_release);
    Patience patience(crowded_);
    for (std::size_t rank = 0; rank < all_.size(); ++rank) {
      while (all_[rank]->come.load(std::memory_order_acquire) < number)
        if (patience.pause()) progress();
      each(rank, all_[rank]->terms[number % 2]);
    }
  }

  /// True: it is so on all ranks.
  bool agree(bool is, const auto& progress) noexcept {
    meet({.bytes = {}, .size = 0, .fits = is}, progress,
         [&is](std::size_t, const AccessTerms& terms) { is = is && terms.fits; });
    return is;
  }

  /// All ranks get the same answer. True: all ranks have come to this access, so they have ended
  /// all accesses before, and each may access its piece of the file. False: the library's
  /// collective call comes next.
  /// @param fits  False: this rank's part is the library's to judge.
  bool begin(bool fits, const auto& progress) noexcept {
    timed_ = fits && trying_ && !trial_.over();
    if (by_library_) return false;
    if (trying_ && !trial_.over()) {
      trial_.next();
      start_ = std::chrono::steady_clock::now();
      if (trial_.library_has_turn()) return false;
    } else if (trying_) {
      decide(progress);
      if (by_library_) return false;
    }
    const bool all_fit = agree(fits, progress);
    timed_ = timed_ && all_fit;
    return all_fit;
  }

  /// The access of begin() has ended without an error of this rank. If that is not said, the trial
  /// has one access less on this rank.
  void end() noexcept {
    if (!std::exchange(timed_, false)) return;
    trial_.took(std::chrono::steady_clock::now() - start_);
    mine_.votes.store(trial_.votes(), std::memory_order_relaxed);
  }

 private:
  void decide(const auto& progress) noexcept {
    agree(true, progress);  // all votes are there
    int votes = 0;
    for (const AccessWords* const each : all_) votes += each->votes.load(std::memory_order_relaxed);
    by_library_ = AccessTrial::library_wins(votes, static_cast<int>(all_.size()));
    trying_ = false;
  }

  AccessWords& mine_;
  std::vector<const AccessWords*> all_;
  AccessTrial trial_;
  std::chrono::steady_clock::time_point start_;
  bool trying_;
  bool crowded_;
  bool timed_ = false;
  bool by_library_ = false;
};

}  // namespace heddle::engine::files
