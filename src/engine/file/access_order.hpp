// engine/file/access_order.hpp: the order of collective accesses to a file in which the ranks
// exchange no data, and their agreement on each of them. No MPI.
//
//   if (order.begin(fits, crowded, progress)) independent();   // all ranks have come to this access
//   else collective();                                         // the library's
//   order.end();
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

/// The words of a rank, 0 at first. Only their owner writes them. The other ranks of its node map
/// them for reading.
struct AccessWords {
  using Counter = std::atomic<std::uint64_t>;
  alignas(64) Counter come;           ///< Accesses that the rank has begun.
  std::atomic<std::uint8_t> fits[2];  ///< 1: fits. For odd and for even accesses.
  std::atomic<int> votes;             ///< For the library (access_trial.hpp).
};
static_assert(AccessWords::Counter::is_always_lock_free && std::atomic<int>::is_always_lock_free);

class AccessOrder {
 public:
  /// @param others  The words of all other ranks that have opened the file.
  /// @param tries  The first accesses decide between the two ways. Otherwise all are independent.
  AccessOrder(AccessWords& mine, std::vector<const AccessWords*> others, bool tries) noexcept
      : mine_(mine), others_(std::move(others)), trying_(tries) {}

  /// All ranks get the same answer. True: all ranks have come to this access, so they have ended
  /// all accesses before, and each may access its piece of the file. False: the library's
  /// collective call comes next.
  /// @param fits  False: this rank's part is the library's to judge.
  /// @param progress  Called now and then in a wait: other ranks may need this rank's messages.
  bool begin(bool fits, bool crowded, void (*progress)() noexcept) noexcept {
    if (by_library_) return false;
    timed_ = trying_ && !trial_.over();
    if (timed_) start_ = std::chrono::steady_clock::now();
    if (timed_ && trial_.library_is_next()) return false;
    const bool all_fit = meet(fits, crowded, progress);
    timed_ = timed_ && all_fit;
    if (trying_ && trial_.over()) {
      by_library_ = AccessTrial::library_wins(all_votes(), 1 + static_cast<int>(others_.size()));
      trying_ = false;
    }
    return all_fit && !by_library_;
  }

  /// This rank's access has ended, well or with an error. Also for accesses without begin().
  void end() noexcept {
    if (!std::exchange(timed_, false)) return;
    trial_.took(std::chrono::steady_clock::now() - start_);
    mine_.votes.store(trial_.votes(), std::memory_order_relaxed);
  }

 private:
  /// True: the access fits on all ranks. A rank changes its word of access k again for access k + 2,
  /// for which all ranks must have come to access k + 1.
  bool meet(bool fits, bool crowded, void (*progress)() noexcept) noexcept {
    const std::uint64_t number = mine_.come.load(std::memory_order_relaxed) + 1;
    mine_.fits[number % 2].store(fits ? 1 : 0, std::memory_order_relaxed);
    mine_.come.store(number, std::memory_order_release);
    Patience patience(crowded);
    for (const AccessWords* const other : others_) {
      while (other->come.load(std::memory_order_acquire) < number)
        if (patience.pause()) progress();
      fits = fits && other->fits[number % 2].load(std::memory_order_relaxed) != 0;
    }
    return fits;
  }
  [[nodiscard]] int all_votes() const noexcept {
    int sum = mine_.votes.load(std::memory_order_relaxed);
    for (const AccessWords* const other : others_) sum += other->votes.load(std::memory_order_relaxed);
    return sum;
  }

  AccessWords& mine_;
  std::vector<const AccessWords*> others_;
  AccessTrial trial_;
  std::chrono::steady_clock::time_point start_;
  bool trying_;
  bool timed_ = false;
  bool by_library_ = false;
};

}  // namespace heddle::engine::files
