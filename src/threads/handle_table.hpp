// threads/handle_table.hpp: a table of facts about handles (MPI's datatypes, communicators). It is
// a hash table that readers use without locks, because every interposed call asks it first. A
// handle that it lacks costs a multiplication and one load.
//
//   constinit HandleTable<MPI_Comm, Communicator> directory;
//   directory.insert(comm, new Communicator(comm));
//   if (Communicator* known = directory.find(comm)) ...
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>

namespace heddle::threads {

/// Handles are integers (MPICH) or pointers (Open MPI, the standard ABI). No handle is 0.
inline std::uint64_t key_of(int handle) { return static_cast<std::uint32_t>(handle); }
inline std::uint64_t key_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

/// key_of() gives 0 for the null handle; handle_of() is its reverse.
template <class Handle>
std::uint64_t key_of(Handle handle, Handle null) noexcept {
  return handle == null ? 0 : key_of(handle);
}
template <class Handle>
Handle handle_of(std::uint64_t key, Handle null) noexcept {
  if (key == 0) return null;
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(key));
  else
    return static_cast<Handle>(key);
}

/// 2^64 over the golden ratio: the product with a key spreads its bits.
inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

/// One of 2^bits places, 0 <= bits < 64, by multiplicative hashing (Knuth, volume 3, §6.4). It
/// shifts twice, because C++ has no shift by 64.
constexpr std::size_t hash_of(std::uint64_t key, int bits) noexcept {
  return static_cast<std::size_t>((key * golden) >> 1U >> (63 - bits));
}

template <class Handle, class Entry>
class HandleTable {
 public:
  constexpr HandleTable() = default;

  /// The entry of a handle, or null. Writers may work at the same time. The entry stays alive as
  /// long as the caller may use the handle.
  [[nodiscard, gnu::always_inline]] Entry* find(Handle handle) const noexcept {
    const std::uint64_t key = key_of(handle);
    const Slots* slots = slots_.load(std::memory_order_acquire);
    for (std::size_t i = hash_of(key, slots->bits);; i = (i + 1) & slots->mask) {
      const std::uint64_t found = slots->slot[i].key.load(std::memory_order_acquire);
      if (found == key) return slots->slot[i].entry.load(std::memory_order_acquire);
      if (found == 0) return nullptr;
    }
  }

  /// Throws std::bad_alloc.
  void insert(Handle handle, Entry* entry);
  /// Replaces the entry of a handle that is in the table.
  void replace(Handle handle, Entry* entry) noexcept { set(handle, entry); }
  /// Returns the erased entry, or null.
  Entry* erase(Handle handle) noexcept { return set(handle, nullptr); }
  /// Erases all entries, and calls gone(entry) for each. Former, smaller tables are kept, because
  /// readers may still use them. Together they are smaller than the table.
  template <class Gone>
  void clear(Gone gone) noexcept;
  void clear() noexcept {
    clear([](Entry*) {});
  }

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
    const Slots* smaller;  ///< A former table. Readers may still use it.
  };
  void place(const Slots& slots, std::uint64_t key, Entry* entry) noexcept;
  Entry* set(Handle handle, Entry* entry) noexcept;
  void grow();

  Slot first_slots_[std::size_t{1} << first_bits];
  Slots first_{first_slots_, (std::size_t{1} << first_bits) - 1, first_bits, nullptr};
  std::atomic<const Slots*> slots_{&first_};
  std::size_t used_ = 0;  // slots with a key, dead ones included
  std::mutex writing_;
};

// Functions of writers.

// A slot with a null entry is dead: its key belongs to a handle that was freed. A new key may take
// it over. A reader that looks for the old key would use a freed handle, and no correct program
// does that.
template <class Handle, class Entry>
void HandleTable<Handle, Entry>::place(const Slots& slots, std::uint64_t key, Entry* entry) noexcept {
  Slot* dead = nullptr;
  for (std::size_t i = hash_of(key, slots.bits);; i = (i + 1) & slots.mask) {
    Slot& slot = slots.slot[i];
    const std::uint64_t found = slot.key.load(std::memory_order_relaxed);
    if (found == key) {
      slot.entry.store(entry, std::memory_order_release);
      return;
    }
    if (found != 0) {
      if (!dead && !slot.entry.load(std::memory_order_relaxed)) dead = &slot;
      continue;
    }
    Slot& free = dead ? *dead : slot;
    if (!dead) ++used_;
    free.entry.store(entry, std::memory_order_release);
    free.key.store(key, std::memory_order_release);
    return;
  }
}

template <class Handle, class Entry>
void HandleTable<Handle, Entry>::insert(Handle handle, Entry* entry) {
  const std::lock_guard lock(writing_);
  if (2 * (used_ + 1) > slots_.load(std::memory_order_relaxed)->mask + 1) grow();
  place(*slots_.load(std::memory_order_relaxed), key_of(handle), entry);
}

template <class Handle, class Entry>
Entry* HandleTable<Handle, Entry>::set(Handle handle, Entry* entry) noexcept {
  const std::lock_guard lock(writing_);
  const Slots& slots = *slots_.load(std::memory_order_relaxed);
  const std::uint64_t key = key_of(handle);
  for (std::size_t i = hash_of(key, slots.bits);; i = (i + 1) & slots.mask) {
    const std::uint64_t found = slots.slot[i].key.load(std::memory_order_relaxed);
    if (found == 0) return nullptr;
    if (found == key) return slots.slot[i].entry.exchange(entry, std::memory_order_acq_rel);
  }
}

template <class Handle, class Entry>
template <class Gone>
void HandleTable<Handle, Entry>::clear(Gone gone) noexcept {
  const std::lock_guard lock(writing_);
  const Slots& slots = *slots_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i <= slots.mask; ++i)
    if (Entry* entry = slots.slot[i].entry.exchange(nullptr, std::memory_order_acq_rel)) gone(entry);
}

template <class Handle, class Entry>
void HandleTable<Handle, Entry>::grow() {
  const Slots& old = *slots_.load(std::memory_order_relaxed);
  const int bits = old.bits + 1;
  const std::size_t size = std::size_t{1} << bits;
  auto slot = std::make_unique<Slot[]>(size);
  auto wider = std::make_unique<Slots>(Slots{slot.get(), size - 1, bits, &old});
  used_ = 0;
  for (std::size_t i = 0; i <= old.mask; ++i)
    if (Entry* entry = old.slot[i].entry.load(std::memory_order_relaxed))
      place(*wider, old.slot[i].key.load(std::memory_order_relaxed), entry);
  slot.release();
  slots_.store(wider.release(), std::memory_order_release);
}

}  // namespace heddle::threads
