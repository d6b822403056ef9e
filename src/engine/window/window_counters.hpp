// engine/window/window_counters.hpp: the counters by which a rank tells its node how far it is in
// the synchronization of a window. They lie in memory that the other ranks map for reading
// (transport/mapped/shared_memory.hpp), and only their owner writes them.
//
//                      the owner adds 1                          an origin whose own count is n waits for
//   fences             when it has returned from a fence         fences >= n, after its n-th fence
//   posts[origin]      when it has posted to that origin         posts[origin] >= n, after its n-th start to the owner
#pragma once

#include <atomic>
#include <cstdint>

#include "layout/bytes.hpp"

namespace heddle::engine {

using layout::Bytes;

/// Zeros at first.
struct WindowCounters {
  using Counter = std::atomic<std::uint64_t>;
  Counter fences;
  Counter posts[1];  ///< One for each rank of the node.

  static constexpr Bytes bytes(int ranks) noexcept { return static_cast<Bytes>(sizeof(Counter)) * (1 + ranks); }
};
static_assert(WindowCounters::Counter::is_always_lock_free);

}  // namespace heddle::engine
