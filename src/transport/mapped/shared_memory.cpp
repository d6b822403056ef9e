// transport/mapped/shared_memory.cpp: first fit in one sparse file, with pages counted by chunk.
#include "transport/mapped/shared_memory.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

namespace heddle::transport {
namespace {

Bytes unused_memory() noexcept { return static_cast<Bytes>(sysconf(_SC_AVPHYS_PAGES)) * page_size(); }

/// True if vm.overcommit_memory is 2. A memfd gives SIGBUS then, not a null pointer, when a page is
/// missing.
bool system_promises_nothing() noexcept {
  const Descriptor setting(open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC));
  char mode = 0;
  return setting && read(setting.get(), &mode, 1) == 1 && mode == '2';
}

std::size_t first_chunk(Bytes offset) { return static_cast<std::size_t>(offset / AddressSpace::chunk); }
std::size_t end_chunk(Bytes end) { return static_cast<std::size_t>(round_up(end, AddressSpace::chunk) / AddressSpace::chunk); }

std::size_t length(Bytes bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

/// All objects of the process that have handed out memory, for the handlers of pthread_atfork,
/// which take no arguments.
class Forks {
 public:
  static void tell_of(SharedMemory& memory) {
    const std::lock_guard guard(lock);
    if (std::ranges::find(all, &memory) != std::end(all)) return;
    if (!told) told = pthread_atfork(prepare, parent, child) == 0;
    if (SharedMemory** free = std::ranges::find(all, nullptr); free != std::end(all)) *free = &memory;
  }
  static void forget(SharedMemory& memory) {
    const std::lock_guard guard(lock);
    std::ranges::replace(all, &memory, static_cast<SharedMemory*>(nullptr));
  }

 private:
  static void prepare() {
    lock.lock();
    for (SharedMemory* each : all)
      if (each) each->before_fork();
  }
  static void parent() {
    for (SharedMemory* each : all)
      if (each) each->after_fork_in_parent();
    lock.unlock();
  }
  static void child() {
    for (SharedMemory* each : all)
      if (each) each->after_fork_in_child();
    lock.unlock();
  }

  static inline constinit std::mutex lock;
  static inline constinit bool told = false;
  static inline constinit SharedMemory* all[4] = {};  // one, except in tests
};

SharedMemory::~SharedMemory() {
  Forks::forget(*this);
  for (const Region& region : live_) slots_of(file_)[region.id].withdraw();
  if (shown_ > 0) give_back(0, shown_);
}

bool SharedMemory::reserve() noexcept {
  if (space_.base()) return true;
  if (refused_) return false;
  refused_ =
      !file_.table || file_.descriptor < 0 || !space_.reserve(file_.shared, std::min(AddressSpace::least_space, file_.shared));
  if (refused_) return false;
  if (commit_ == Commit::as_the_system) commit_ = system_promises_nothing() ? Commit::at_once : Commit::with_use;
  base_.store(space_.base(), std::memory_order_relaxed);
  Forks::tell_of(*this);
  return true;
}

bool SharedMemory::show_to(Bytes end) noexcept {
  const Bytes more = round_up(end, AddressSpace::chunk) - shown_;
  if (more <= 0) return true;
  if (!space_.show(file_.descriptor, file_.shared_from, shown_, more, Mapping::Access::write)) return false;
  // A child gets only the memory that after_fork_in_child() puts there.
  madvise(space_.base() + shown_, length(more), MADV_DONTFORK);
  shown_ += more;
  return true;
}

bool SharedMemory::take_pages(const Region& region) noexcept {
  const std::size_t end = end_chunk(region.offset + region.bytes);
  for (std::size_t i = first_chunk(region.offset); i < end; ++i) {
    if (!chunks_[i].pages) {
      // One call for a run of chunks.
      std::size_t run_end = i + 1;
      while (run_end < end && !chunks_[run_end].pages) ++run_end;
      const auto at = static_cast<Bytes>(i) * AddressSpace::chunk;
      const Bytes bytes = static_cast<Bytes>(run_end - i) * AddressSpace::chunk;
      if (commit_ == Commit::at_once && fallocate(file_.descriptor, 0, file_.shared_from + at, bytes) != 0) {
        give_back(at, bytes);
        return false;
      }
      for (std::size_t j = i; j < run_end; ++j) chunks_[j] = {.pages = true};
      idle_ += bytes;
    }
  }
  for (std::size_t i = first_chunk(region.offset); i < end; ++i)
    if (chunks_[i].regions++ == 0) idle_ -= AddressSpace::chunk;
  return true;
}

void SharedMemory::leave_pages(const Region& region) noexcept {
  const std::size_t end = end_chunk(region.offset + region.bytes);
  for (std::size_t i = first_chunk(region.offset); i < end; ++i)
    if (--chunks_[i].regions == 0) idle_ += AddressSpace::chunk;
  // Chunks at the end go first, because allocate() looks for room from the beginning.
  Bytes bytes = 0;
  for (std::size_t i = end; i-- > first_chunk(region.offset);) {
    const bool goes = idle_ > idle_most && chunks_[i].regions == 0;
    if (goes) {
      chunks_[i].pages = false;
      idle_ -= AddressSpace::chunk;
      bytes += AddressSpace::chunk;
    }
    if (bytes > 0 && (!goes || i == first_chunk(region.offset))) {
      give_back(static_cast<Bytes>(goes ? i : i + 1) * AddressSpace::chunk, bytes);
      bytes = 0;
    }
  }
}

void SharedMemory::give_back(Bytes offset, Bytes bytes) const noexcept {
  fallocate(file_.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, file_.shared_from + offset, bytes);
}

void* SharedMemory::allocate(Bytes bytes) noexcept try {
  if (bytes <= 0 || bytes > file_.shared) return nullptr;
  const Bytes unit = bytes >= AddressSpace::chunk ? AddressSpace::chunk : page_size();
  Region fresh{.bytes = round_up(bytes, unit)};
  const std::lock_guard guard(lock_);
  if (forked_ || !reserve()) return nullptr;

  auto next = live_.begin();
  for (; next != live_.end() && fresh.offset + fresh.bytes > next->offset; ++next)
    fresh.offset = round_up(next->offset + next->bytes, unit);
  const Bytes end = fresh.offset + fresh.bytes;
  if (end > space_.size() || (free_ids_.empty() && fresh_id_ == slots)) return nullptr;

  // Calls that may throw come before any change.
  const auto place = std::distance(live_.begin(), next);
  if (live_.size() == live_.capacity()) live_.reserve(2 * live_.size() + 16);
  if (free_ids_.capacity() < live_.capacity()) free_ids_.reserve(live_.capacity());
  if (chunks_.size() < end_chunk(end)) chunks_.resize(end_chunk(end));

  if (!show_to(end) || !take_pages(fresh)) return nullptr;
  if (free_ids_.empty()) {
    fresh.id = fresh_id_++;
  } else {
    fresh.id = free_ids_.back();
    free_ids_.pop_back();
  }
  fresh.version = fresh_version_++;
  slots_of(file_)[fresh.id].publish(fresh.version, fresh.offset, fresh.bytes);
  live_.insert(live_.begin() + place, fresh);
  used_.store(std::max(used_.load(std::memory_order_relaxed), end), std::memory_order_release);
  return space_.base() + fresh.offset;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void* SharedMemory::allocate_zeroed(Bytes bytes) noexcept {
  void* const memory = allocate(bytes);
  if (!memory) return nullptr;
  const Bytes offset = static_cast<std::byte*>(memory) - space_.base();
  constexpr int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;  // a hole reads as zeros, and its pages come with use
  const bool anew = commit_ == Commit::with_use &&
                    fallocate(file_.descriptor, hole, file_.shared_from + offset, round_up(bytes, page_size())) == 0;
  if (!anew) std::memset(memory, 0, length(bytes));
  return memory;
}

bool SharedMemory::release(void* memory) noexcept {
  const std::lock_guard guard(lock_);
  if (live_.empty()) return false;
  const auto offset =
      static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(space_.base()));
  const auto region = std::ranges::lower_bound(live_, offset, {}, &Region::offset);
  if (region == live_.end() || region->offset != offset) return false;
  if (forked_) {
    munmap(memory, length(region->bytes));
    live_.erase(region);
    return true;
  }
  slots_of(file_)[region->id].withdraw();
  leave_pages(*region);
  free_ids_.push_back(region->id);
  live_.erase(region);
  return true;
}

std::optional<Place> SharedMemory::find_among(Bytes at, Bytes bytes) noexcept {
  const std::lock_guard guard(lock_);
  const auto after = std::ranges::upper_bound(live_, at, {}, &Region::offset);
  if (after == live_.begin()) return std::nullopt;
  const Region& region = *std::prev(after);
  const Bytes offset = at - region.offset;
  if (offset >= region.bytes || bytes < 0 || bytes > region.bytes - offset) return std::nullopt;
  count_found(at, bytes);
  return Place{.version = region.version, .offset = offset, .id = region.id};
}

void SharedMemory::count_found(Bytes at, Bytes bytes) noexcept {
  if (huge_ == HugePages::never) return;
  for (Bytes begin = at / AddressSpace::chunk * AddressSpace::chunk; begin < at + bytes; begin += AddressSpace::chunk) {
    Chunk& each = chunks_[first_chunk(begin)];
    if (each.huge) continue;
    each.found += std::min(at + bytes, begin + AddressSpace::chunk) - std::max(at, begin);
    if (each.found < huge_after * AddressSpace::chunk) continue;
    each.huge = true;  // even if the kernel refuses: it is asked once
    if (AddressSpace::chunk <= unused_memory() / 2) make_huge(space_.base() + begin, AddressSpace::chunk);
  }
}

std::size_t SharedMemory::live() const noexcept {
  const std::lock_guard guard(lock_);
  return live_.size();
}

/// The copy is made here, because after the fork the parent goes on writing at once. Only pages
/// that exist are copied.
void SharedMemory::before_fork() noexcept {
  lock_.lock();
  if (live_.empty() || forked_) return;
  copied_ = live_.back().offset + live_.back().bytes;
  void* const place =
      mmap(nullptr, length(copied_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return;
  madvise(place, length(copied_), MADV_HUGEPAGE);
  copy_ = static_cast<std::byte*>(place);
  for (const Region& region : live_) {
    const Bytes end = file_.shared_from + region.offset + region.bytes;
    for (Bytes at = end - region.bytes; at < end;) {
      const Bytes data = lseek(file_.descriptor, at, SEEK_DATA);
      if (data < 0 || data >= end) break;
      at = std::min<Bytes>(lseek(file_.descriptor, data, SEEK_HOLE), end);
      if (at <= data) break;
      const Bytes from = data - file_.shared_from;
      std::memcpy(copy_ + from, space_.base() + from, length(at - data));
    }
  }
}

void SharedMemory::after_fork_in_parent() noexcept {
  if (copy_) munmap(std::exchange(copy_, nullptr), length(copied_));
  lock_.unlock();
}

/// The copy replaces the shared memory. If there was no memory for a copy, the child sees the
/// parent's writes to a page until it writes there itself. The parent never sees the child's.
void SharedMemory::after_fork_in_child() noexcept {
  for (const Region& region : live_) {
    std::byte* const place = space_.base() + region.offset;
    if (forked_) continue;  // the child of a child: its memory is its own already
    if (copy_)
      mremap(copy_ + region.offset, length(region.bytes), length(region.bytes), MREMAP_MAYMOVE | MREMAP_FIXED, place);
    else
      mmap(place, length(region.bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_.descriptor,
           file_.shared_from + region.offset);
  }
  copy_ = nullptr;
  forked_ = true;
  base_.store(nullptr, std::memory_order_relaxed);
  used_.store(0, std::memory_order_relaxed);
  lock_.unlock();
}

}  // namespace heddle::transport
