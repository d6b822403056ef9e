// engine/file/access_order.hpp: the order of collective accesses to a file in which the ranks
// exchange no data. No MPI.
//
//   if (order.begin(crowded, progress)) independent();   // all ranks have ended all accesses before this one
//   else collective();                                   // the library is quicker, or has its turn of the trial
//   order.ended();
//
// The standard does not order collective accesses of different ranks (MPI-5.0 §14.6.1). But
// libraries exchange words at the begin of each, so no rank begins an access before all ranks have
// ended the access before. Programs rely on this order: ranks write an array together, and read it
// at once with other shares.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/wait.hpp"
#include "engine/file/access_trial.hpp"

namespace heddle::engine::files {

/// The words of a rank. They lie in memory that the other ranks of its node map for reading, and
/// only their owner writes them. 0 at first.
struct AccessCounter {
  alignas(64) std::atomic<std::uint64_t> ended;  ///< Accesses that the rank has ended.
  std::atomic<int> votes;                        ///< For the library (access_trial.hpp).
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

class AccessOrder {
 public:
  /// @param others  The counters of all other ranks that have opened the file.
  /// @param tries  The first accesses decide. Otherwise all are independent.
  AccessOrder(AccessCounter& mine, std::vector<const AccessCounter*> others, bool tries) noexcept
      : mine_(mine), others_(std::move(others)), trying_(tries) {}

  /// All ranks get the same answer. True: every other rank has ended as many accesses as this rank,
  /// so this rank may access its piece of the file. False: the library's collective call comes next.
  /// @param progress  Called now and then in a wait: other ranks may need this rank's messages.
  bool begin(bool crowded, void (*progress)() noexcept) noexcept {
    if (by_library_) return false;
    if (trying_ && trial_.over()) {
      wait(crowded, progress);
      by_library_ = AccessTrial::library_wins(all_votes(), 1 + static_cast<int>(others_.size()));
      trying_ = false;
      return !by_library_;
    }
    timed_ = trying_;
    if (timed_) start_ = std::chrono::steady_clock::now();
    if (trying_ && trial_.library_is_next()) return false;
    wait(crowded, progress);
    return true;
  }

  /// This rank's access has ended, well or with an error. Also for accesses without begin().
  void ended() noexcept {
    if (std::exchange(timed_, false)) {
      trial_.took(std::chrono::steady_clock::now() - start_);
      mine_.votes.store(trial_.votes(), std::memory_order_relaxed);
    }
    mine_.ended.store(mine_.ended.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  void wait(bool crowded, void (*progress)() noexcept) const noexcept {
    const std::uint64_t least = mine_.ended.load(std::memory_order_relaxed);
    Patience patience(crowded);
    for (const AccessCounter* const other : others_)
      while (other->ended.load(std::memory_order_acquire) < least)
        if (patience.pause()) progress();
  }
  [[nodiscard]] int all_votes() const noexcept {
    int sum = mine_.votes.load(std::memory_order_relaxed);
    for (const AccessCounter* const other : others_) sum += other->votes.load(std::memory_order_relaxed);
    return sum;
  }

  AccessCounter& mine_;
  std::vector<const AccessCounter*> others_;
  AccessTrial trial_;
  std::chrono::steady_clock::time_point start_;
  bool trying_;
  bool timed_ = false;
  bool by_library_ = false;
};

}  // namespace heddle::engine::files
