// engine/file/access_order.hpp: the order of collective accesses to a file in which the ranks
// exchange no data. No MPI.
//
//   order.wait(crowded, progress);      // all ranks have ended all accesses before this one
//   ...                                 // this rank's access
//   order.ended();
//
// The standard does not order collective accesses of different ranks (MPI-5.0 §14.6.1). But
// libraries exchange words at the begin of each, so no rank begins an access before all ranks have
// ended the access before. Programs rely on this order: ranks write an array together, and read it
// at once with other shares.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/wait.hpp"

namespace heddle::engine::files {

/// The number of accesses that a rank has ended. It lies in memory that the other ranks of its node
/// map for reading, and only its owner writes it. 0 at first.
struct AccessCounter {
  alignas(64) std::atomic<std::uint64_t> ended;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class AccessOrder {
 public:
  /// @param others  The counters of all other ranks that have opened the file.
  AccessOrder(AccessCounter& mine, std::vector<const AccessCounter*> others) noexcept
      : mine_(mine), others_(std::move(others)) {}

  /// Returns when every other rank has ended as many accesses as this rank.
  /// @param progress  Called now and then: other ranks may need this rank's messages.
  void wait(bool crowded, void (*progress)() noexcept) const noexcept {
    const std::uint64_t least = mine_.ended.load(std::memory_order_relaxed);
    Patience patience(crowded);
    for (const AccessCounter* const other : others_)
      while (other->ended.load(std::memory_order_acquire) < least)
        if (patience.pause()) progress();
  }
  /// This rank's access has ended, well or with an error.
  void ended() noexcept { mine_.ended.store(mine_.ended.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  AccessCounter& mine_;
  std::vector<const AccessCounter*> others_;
};

}  // namespace heddle::engine::files
