// engine/window/window.hpp: a rank's knowledge of a window: where the memory of other ranks of the
// node is, and whether the rank may access that memory now. No MPI.
//
//   Window window(targets, places, mine, me);
//   ...                                                       // the library's MPI_Win_fence has succeeded:
//   window.fenced(true);
//   ...                                                       // MPI_Put to rank 3:
//   const int target = window.find(3);                        // negative: the library's
//   switch (const Permission now = window.permission(target); now.kind) ...
//
// The calls of synchronization are always the library's, and the library alone orders conflicting
// epochs. But a call that opens an epoch may return before the target allows access. Then the
// library delays the accesses that follow, and Heddle must do so as well:
//
//   opened by      access is allowed when                                   Heddle finds out by
//   fence          the target has returned from its fence of that number    the target's counter
//   start          the target has posted as often as this rank started      the target's counter
//   lock,          the library holds the lock                               an operation of the library
//   lock_all                                                                and a flush, once
//
// By the standard, a fence allows access when the target has called it. Heddle waits until the
// target has returned from it: operations of a third rank in the epoch before are then complete
// there (MPI-5.0 §12.5.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/window/window_counters.hpp"
#include "threads/lock.hpp"
#include "transport/transport.hpp"

namespace heddle::engine {

/// The permission of an origin to access a target.
struct Permission {
  enum class Kind : std::uint8_t {
    none,     ///< No epoch is open there that Heddle knows: the access is the library's.
    granted,  ///< Access is allowed now.
    counted,  ///< Access is allowed as soon as counter >= least.
    asked,    ///< The program has called for a lock. Get it, and call lock_is_held().
  };
  Kind kind = Kind::none;
  bool passive = false;  ///< The epoch is one of MPI_Win_lock or MPI_Win_lock_all.
  const WindowCounters::Counter* counter = nullptr;
  std::uint64_t least = 0;
};

class Window {
 public:
  /// Memory of one rank.
  struct Target {
    int rank = -1;                             ///< In the window's group.
    std::byte* base = nullptr;                 ///< Its address here, or in that process.
    Bytes size = 0;                            ///< Bytes.
    Bytes unit = 1;                            ///< Its displacement unit, bytes.
    const WindowCounters* counters = nullptr;  ///< Of that rank.
    bool apart = false;                        ///< The memory is not mapped here.
    transport::Copier copier{};                ///< True: the system can copy memory that is apart.
  };

  /// @param targets  Ranks whose memory this process reaches.
  /// @param places  For each rank of the window's group its rank in the node: its index in
  /// WindowCounters::posts. Negative: on another node.
  /// @param mine  The counters of this rank, which the ranks of the node can read.
  /// @param me  The rank of this process in the window's group.
  Window(std::vector<Target> targets, std::vector<int> places, WindowCounters& mine, int me);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// The index of that rank among the targets. Negative: its memory cannot be reached, or there is
  /// no such rank.
  [[nodiscard]] int find(int rank) const noexcept {
    return rank >= 0 && static_cast<std::size_t>(rank) < index_.size() ? index_[static_cast<std::size_t>(rank)] : -1;
  }
  [[nodiscard]] const Target& target(int index) const noexcept { return targets_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const WindowCounters& mine() const noexcept { return mine_; }

  // Calls of this process that the library has carried out. Ranks that are no targets are ignored.
  // Any thread may call.

  /// @param opens  An epoch follows (no MPI_MODE_NOSUCCEED).
  void fenced(bool opens) noexcept;
  /// @param checked  The library gets the lock (no MPI_MODE_NOCHECK).
  void locked(int rank, bool checked) noexcept;
  void unlocked(int rank) noexcept;
  void all_locked(bool checked) noexcept;
  void all_unlocked() noexcept;
  void started(std::span<const int> ranks) noexcept;
  void completed() noexcept;
  void posted(std::span<const int> ranks) noexcept;
  /// A call has failed: Heddle no longer knows the epochs, and leaves all accesses of this rank to
  /// the library.
  void give_up() noexcept;

  [[nodiscard]] Permission permission(int index) noexcept;
  /// True: a fence has opened an epoch, and the next fence closes it.
  [[nodiscard]] bool in_fence_epoch() noexcept;
  /// The library holds the lock that the program has called for.
  void lock_is_held(int index) noexcept;

 private:
  enum class Epoch : std::uint8_t { none, fence, locks, all, start, given_up };
  enum class Lock : std::uint8_t { none, asked, held };
  struct State {
    Lock lock = Lock::none;
    std::uint64_t held_in = 0;     ///< The epoch of MPI_Win_lock_all in which the lock was seen to be held.
    std::uint64_t started_in = 0;  ///< The last epoch of MPI_Win_start that has this target.
    std::uint64_t starts = 0;      ///< The number of such epochs.
  };
  [[nodiscard]] State& state(int index) noexcept { return states_[static_cast<std::size_t>(index)]; }

  const std::vector<Target> targets_;
  const std::vector<int> places_;
  std::vector<int> index_;  // by rank
  WindowCounters& mine_;
  const int my_place_;

  threads::Lock lock_;  // of all below
  Epoch epoch_ = Epoch::none;
  bool checked_ = true;  // of Epoch::all
  std::uint64_t fences_ = 0;
  std::uint64_t number_ = 0;  // counts epochs of MPI_Win_lock_all and MPI_Win_start
  std::vector<State> states_;
};

/// Waits a short while for a permission that is counted. False: not yet. The library can carry the
/// access out at any time, so nobody has to wait for long.
/// @param progress  Called now and then. It lets the library make progress.
[[nodiscard]] bool comes_soon(const Permission& permission, bool crowded, void (*progress)() noexcept) noexcept;

}  // namespace heddle::engine
