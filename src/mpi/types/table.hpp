// mpi/types/table.hpp: which handles are datatypes of the program. A hash table that is read without locks, because every
// interposed call asks it first; a handle that is not in it costs a multiplication and one load. Includes host.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "mpi/host.hpp"

namespace heddle::mpi {

class Entry;

/// Handles are integers (MPICH) or pointers (Open MPI, the standard ABI); 0 is none of them.
inline std::uint64_t key_of(int type) { return static_cast<std::uint32_t>(type); }
inline std::uint64_t key_of(const void* type) { return reinterpret_cast<std::uintptr_t>(type); }

/// One of 2^bits places. Knuth, volume 3, §6.4: multiplicative hashing.
constexpr std::size_t hash_of(std::uint64_t key, int bits) noexcept {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>((key * golden) >> (64 - bits));
}

class Table {
 public:
  constexpr Table() = default;

  /// The entry of a handle, or null. Safe against writers; the caller's right to use the datatype keeps the entry alive.
  [[nodiscard]] Entry* find(MPI_Datatype type) const noexcept {
    const std::uint64_t key = key_of(type);
    const Slots* slots = slots_.load(std::memory_order_acquire);
    for (std::size_t i = hash_of(key, slots->bits);; i = (i + 1) & slots->mask) {
      const std::uint64_t found = slots->slot[i].key.load(std::memory_order_acquire);
      if (found == key) return slots->slot[i].entry.load(std::memory_order_acquire);
      if (found == 0) return nullptr;
    }
  }

  /// Throws std::bad_alloc.
  void insert(MPI_Datatype type, Entry* entry);
  void erase(MPI_Datatype type) noexcept;
  /// Forgets all. The memory of tables that became too small is kept: readers may still be in it. It is less than the table.
  void clear() noexcept;

 private:
  struct Slot {
    std::atomic<std::uint64_t> key{0};  // stays when the entry is erased, until the slot is used again
    std::atomic<Entry*> entry{nullptr};
  };
  static constexpr int first_bits = 8;
  struct Slots {
    Slot* slot;
    std::size_t mask;
    int bits;
  };
  void place(const Slots& slots, std::uint64_t key, Entry* entry) noexcept;
  void grow();

  Slot first_slots_[std::size_t{1} << first_bits];
  Slots first_{first_slots_, (std::size_t{1} << first_bits) - 1, first_bits};
  std::atomic<const Slots*> slots_{&first_};
  std::size_t used_ = 0;  // slots with a key, dead ones included
  std::mutex writing_;
};

/// The table of the process.
extern constinit Table table;

}  // namespace heddle::mpi
