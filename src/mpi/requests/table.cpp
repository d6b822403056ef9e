// mpi/requests/table.cpp: what is not asked by every call.
#include "mpi/requests/table.hpp"

#include <algorithm>
#include <cstdlib>

namespace heddle::mpi::requests {

constinit Table table;

int Table::find(int count, const MPI_Request* handles, Pending** found) noexcept {
  int known = 0;
  const std::lock_guard guard(lock_);
  for (int i = 0; i < count; ++i) {
    found[i] = entry_of(handles[i]);
    known += found[i] != nullptr;
  }
  return known;
}

void Table::erase(MPI_Request handle, const Pending* pending) noexcept {
  const std::lock_guard guard(lock_);
  std::size_t hole = place_of(threads::key_of(handle));
  if (slots_[hole].pending != pending) return;
  slots_[hole].pending = nullptr;
  used_.store(used_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  // Knuth, volume 3, §6.4, algorithm R: an entry moves up unless its home lies between the hole and itself.
  for (std::size_t i = (hole + 1) & mask_; slots_[i].pending; i = (i + 1) & mask_) {
    const std::size_t from_home = (i - home(slots_[i].key)) & mask_;
    if (from_home < ((i - hole) & mask_)) continue;
    slots_[hole] = slots_[i];
    slots_[i].pending = nullptr;
    hole = i;
  }
}

bool Table::any_active() noexcept {
  const std::lock_guard guard(lock_);
  return std::any_of(slots_, slots_ + mask_ + 1, [](const Slot& slot) { return slot.pending && slot.pending->record.active; });
}

bool Table::grow() noexcept {
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
    if (old[i].pending) slots_[place_of(old[i].key)] = old[i];
  if (old != first_) std::free(old);
  return true;
}

}  // namespace heddle::mpi::requests
