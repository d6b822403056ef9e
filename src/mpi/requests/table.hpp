// mpi/requests/table.hpp: which handles are requests that Heddle still has to do something for. Empty, it costs a call one
// load. Includes pending.hpp, threads/.
//
//   if (requests::table.empty()) return PMPI_Wait(request, status);
//   if (Pending* pending = requests::table.find(*request)) ...
//
// A request must be unique to be in it. Receives are, and sends that have not completed; for sends that complete at once both
// MPICH and Open MPI hand out the same handle again and again: see track_unless_done().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "mpi/requests/pending.hpp"
#include "mpi/types/table.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi::requests {

/// Open addressing; what follows an erased slot moves up, so that there are no dead ones.
class Table {
 public:
  constexpr Table() = default;

  [[nodiscard]] bool empty() const noexcept { return used_.load(std::memory_order_relaxed) == 0; }

  /// Whether an operation is in progress: persistent requests stay here between two.
  [[nodiscard]] bool any_active() noexcept;

  [[nodiscard]] Pending* find(MPI_Request handle) noexcept {
    const std::lock_guard guard(lock_);
    return entry_of(handle);
  }
  /// The entries of a row of handles; how many there are.
  int find(int count, const MPI_Request* handles, Pending** found) noexcept;

  /// Whether an insert() has room: asked before the host is asked for a request. False: no memory.
  [[nodiscard]] bool room() noexcept {
    return used_.load(std::memory_order_relaxed) < limit_.load(std::memory_order_relaxed) || grow();
  }
  /// A handle that is there already belonged to a request that the host has completed and given out anew, before the thread
  /// that completed it came to erase it.
  void insert(MPI_Request handle, Pending* pending) noexcept {
    const std::uint64_t key = threads::key_of(handle);
    const std::lock_guard guard(lock_);
    Slot& slot = slots_[place_of(key)];
    if (!slot.pending) used_.store(used_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    slot = {key, pending};
  }
  /// Nothing if the handle is another request's meanwhile.
  void erase(MPI_Request handle, const Pending* pending) noexcept;

 private:
  struct Slot {
    std::uint64_t key;
    Pending* pending;  // null: free
  };
  static constexpr int first_bits = 8;
  static constexpr std::size_t spare = 32;  // threads between room() and insert()
  static constexpr std::size_t limit_of(std::size_t slots) { return slots / 2 - spare; }

  [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept { return threads::hash_of(key, bits_); }
  /// Where the key is, or would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
    std::size_t i = home(key);
    while (slots_[i].pending && slots_[i].key != key) i = (i + 1) & mask_;
    return i;
  }
  /// The entry of a handle, unless it is one that a call is completing: then the handle means a request of another thread
  /// that Heddle does not know.
  [[nodiscard]] Pending* entry_of(MPI_Request handle) const noexcept {
    Pending* pending = slots_[place_of(threads::key_of(handle))].pending;
    return pending && !pending->record.completing.load(std::memory_order_relaxed) ? pending : nullptr;
  }
  bool grow() noexcept;

  Slot first_[std::size_t{1} << first_bits]{};
  Slot* slots_ = first_;
  std::size_t mask_ = (std::size_t{1} << first_bits) - 1;
  int bits_ = first_bits;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> limit_{limit_of(std::size_t{1} << first_bits)};
  threads::Lock lock_;
};

/// The table of the process.
extern constinit Table table;

}  // namespace heddle::mpi::requests
