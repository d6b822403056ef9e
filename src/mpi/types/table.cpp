// mpi/types/table.cpp: the writers' side.
#include "mpi/types/table.hpp"

#include <memory>

namespace heddle::mpi {

constinit Table table;

// A slot whose entry is null is dead: its key belongs to a datatype that is gone. A new key may take it over. A reader that
// looks for the old key meanwhile would be using a freed datatype, which no correct program does.
void Table::place(const Slots& slots, std::uint64_t key, Entry* entry) noexcept {
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

void Table::insert(MPI_Datatype type, Entry* entry) {
  const std::lock_guard lock(writing_);
  if (2 * (used_ + 1) > slots_.load(std::memory_order_relaxed)->mask + 1) grow();
  place(*slots_.load(std::memory_order_relaxed), key_of(type), entry);
}

void Table::erase(MPI_Datatype type) noexcept {
  const std::lock_guard lock(writing_);
  const Slots& slots = *slots_.load(std::memory_order_relaxed);
  const std::uint64_t key = key_of(type);
  for (std::size_t i = hash_of(key, slots.bits);; i = (i + 1) & slots.mask) {
    const std::uint64_t found = slots.slot[i].key.load(std::memory_order_relaxed);
    if (found == 0) return;
    if (found != key) continue;
    slots.slot[i].entry.store(nullptr, std::memory_order_release);
    return;
  }
}

void Table::clear() noexcept {
  const std::lock_guard lock(writing_);
  const Slots& slots = *slots_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i <= slots.mask; ++i) slots.slot[i].entry.store(nullptr, std::memory_order_release);
}

void Table::grow() {
  const Slots& old = *slots_.load(std::memory_order_relaxed);
  const int bits = old.bits + 1;
  const std::size_t size = std::size_t{1} << bits;
  auto slot = std::make_unique<Slot[]>(size);
  auto wider = std::make_unique<Slots>(Slots{slot.get(), size - 1, bits});
  used_ = 0;
  for (std::size_t i = 0; i <= old.mask; ++i)
    if (Entry* entry = old.slot[i].entry.load(std::memory_order_relaxed))
      place(*wider, old.slot[i].key.load(std::memory_order_relaxed), entry);
  slot.release();
  slots_.store(wider.release(), std::memory_order_release);
}

}  // namespace heddle::mpi
