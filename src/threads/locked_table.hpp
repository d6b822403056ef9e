// threads/locked_table.hpp: a table of facts about handles that come and go with every operation,
// such as requests. It is a hash table with a lock. If it is empty, it costs a caller one load.
//
//   constinit LockedTable<MPI_Request, Pending> table;
//   if (!table.room()) ...                                     // before there is a handle, so that insert() cannot fail
//   table.insert(request, pending);
//   if (Pending* pending = table.find(request, [](const Pending& each) { return each.is_meant(); })) ...
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "threads/handle_table.hpp"
#include "threads/lock.hpp"

namespace heddle::threads {

/// Open addressing. After an erase, later entries move up, so that there are no dead slots.
template <class Handle, class Entry>
class LockedTable {
 public:
  constexpr LockedTable() = default;
  LockedTable(const LockedTable&) = delete;
  LockedTable& operator=(const LockedTable&) = delete;

  [[nodiscard]] bool empty() const noexcept { return used_.load(std::memory_order_relaxed) == 0; }

  /// The entry of a handle, if there is one and it is `meant`; else null.
  template <class Meant>
  [[nodiscard]] Entry* find(Handle handle, const Meant& meant) noexcept {
    const std::lock_guard guard(lock_);
    return entry_of(handle, meant);
  }
  /// Finds the entries of a row of handles. Returns their number.
  template <class Meant>
  int find(int count, const Handle* handles, Entry** found, const Meant& meant) noexcept {
    const std::lock_guard guard(lock_);
    return entries_of(count, handles, found, meant);
  }
  /// True if `is` holds for any entry.
  template <class Is>
  [[nodiscard]] bool any(const Is& is) noexcept {
    const std::lock_guard guard(lock_);
    return std::any_of(slots_, slots_ + mask_ + 1, [&is](const Slot& slot) { return slot.entry && is(*slot.entry); });
  }

  /// True if an insert() has room. Ask before each insert(). False: memory is short.
  [[nodiscard, gnu::always_inline]] bool room() noexcept {
    return used_.load(std::memory_order_relaxed) < limit_.load(std::memory_order_relaxed) || grow();
  }
  /// Inserts an entry. It replaces an older entry of the handle.
  void insert(Handle handle, Entry* entry) noexcept {
    const std::lock_guard guard(lock_);
    put(handle, entry);
  }
  /// Nothing if something else is known of the handle meanwhile.
  void erase(Handle handle, const Entry* entry) noexcept {
    const std::lock_guard guard(lock_);
    const std::size_t place = place_of(key_of(handle));
    if (slots_[place].entry == entry) clear(place);
  }

  /// An entry of a row of handles, and the slot that had it when it was found.
  struct Spot {
    Entry* entry;
    std::size_t place;
    int index;  ///< In the row.
  };
  /// erase() of an entry that a derived table has found by spots_of().
  [[gnu::always_inline]] void erase(const Spot& found, Handle handle) noexcept {
    lock_.lock();
    std::size_t place = found.place & mask_;
    if (slots_[place].entry != found.entry) [[unlikely]]
      place = place_of(key_of(handle));
    if (slots_[place].entry == found.entry) [[likely]]
      clear(place);
    lock_.unlock();
  }

 protected:
  /// A derived table takes lock(), and calls the others as often as it needs.
  [[nodiscard]] Lock& lock() noexcept { return lock_; }
  template <class Meant>
  [[nodiscard]] Entry* entry_of(Handle handle, const Meant& meant) const noexcept {
    Entry* entry = slots_[place_of(key_of(handle))].entry;
    return entry && meant(*entry) ? entry : nullptr;
  }
  template <class Meant>
  int entries_of(int count, const Handle* handles, Entry** found, const Meant& meant) const noexcept {
    int known = 0;
    for (int i = 0; i < count; ++i) {
      fetch_ahead(count - i, handles + i);
      found[i] = entry_of(handles[i], meant);
      known += found[i] != nullptr;
    }
    return known;
  }
  /// Lists the entries of a short row of handles, in its order. Returns their number.
  template <class Meant>
  int spots_of(int count, const Handle* handles, Spot* spots, const Meant& meant) const noexcept {
    int known = 0;
    for (int i = 0; i < count; ++i) {
      const std::size_t place = place_of(key_of(handles[i]));
      Entry* const entry = slots_[place].entry;
      if (entry && meant(*entry)) spots[known++] = {entry, place, i};
    }
    return known;
  }
  [[gnu::always_inline]] void put(Handle handle, Entry* entry) noexcept {
    const std::uint64_t key = key_of(handle);
    Slot& slot = slots_[place_of(key)];
    if (!slot.entry) [[likely]]
      used_.store(used_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    slot = {key, entry};
  }

 private:
  /// Prefetches slots and entries, which lie far apart in a long row of handles.
  void fetch_ahead(int left, const Handle* handles) const noexcept {
    constexpr int slots = 12, entries = 6;
    if (left > slots) __builtin_prefetch(&slots_[home(key_of(handles[slots]))]);
    if (left > entries) __builtin_prefetch(slots_[home(key_of(handles[entries]))].entry);
  }
  struct Slot {
    std::uint64_t key;
    Entry* entry;  // null: free
  };
  static constexpr int first_bits = 8;
  static constexpr std::size_t spare = 32;  // room for threads between room() and insert()
  static constexpr std::size_t limit_of(std::size_t slots) { return slots / 2 - spare; }

  [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept { return hash_of(key, bits_); }
  /// The index of the slot that has the key, or would get it.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
    std::size_t i = home(key);
    while (slots_[i].entry && slots_[i].key != key) i = (i + 1) & mask_;
    return i;
  }
  bool grow() noexcept;
  [[gnu::always_inline]] void clear(std::size_t place) noexcept {
    slots_[place].entry = nullptr;
    used_.store(used_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    if (slots_[(place + 1) & mask_].entry) [[unlikely]]
      move_up(place);
  }
  void move_up(std::size_t hole) noexcept;

  Slot first_[std::size_t{1} << first_bits]{};
  Slot* slots_ = first_;
  std::size_t mask_ = (std::size_t{1} << first_bits) - 1;
  int bits_ = first_bits;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> limit_{limit_of(std::size_t{1} << first_bits)};
  Lock lock_;
};

/// Slot `hole` has been erased: entries behind it move up.
template <class Handle, class Entry>
[[gnu::noinline]] void LockedTable<Handle, Entry>::move_up(std::size_t hole) noexcept {
  // Knuth, volume 3, §6.4, algorithm R: an entry moves up unless its home lies between the hole and
  // itself.
  for (std::size_t i = (hole + 1) & mask_; slots_[i].entry; i = (i + 1) & mask_) {
    const std::size_t from_home = (i - home(slots_[i].key)) & mask_;
    if (from_home < ((i - hole) & mask_)) continue;
    slots_[hole] = slots_[i];
    slots_[i].entry = nullptr;
    hole = i;
  }
}

template <class Handle, class Entry>
bool LockedTable<Handle, Entry>::grow() noexcept {
  const std::lock_guard guard(lock_);
  if (used_.load(std::memory_order_relaxed) < limit_.load(std::memory_order_relaxed)) return true;  // another thread was faster
  const std::size_t old_size = mask_ + 1;
  auto* wider = static_cast<Slot*>(std::calloc(2 * old_size, sizeof(Slot)));
  if (!wider) return used_.load(std::memory_order_relaxed) + spare < old_size;
  Slot* old = slots_;
  slots_ = wider;
  mask_ = 2 * old_size - 1;
  ++bits_;
  limit_.store(limit_of(2 * old_size), std::memory_order_relaxed);
  for (std::size_t i = 0; i < old_size; ++i)
    if (old[i].entry) slots_[place_of(old[i].key)] = old[i];
  if (old != first_) std::free(old);
  return true;
}

}  // namespace heddle::threads
