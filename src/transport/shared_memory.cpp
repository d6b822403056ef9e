// transport/shared_memory.cpp: first fit in one sparse file; address space in step with it.
#include "transport/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>

namespace heddle::transport {
namespace {

constexpr Bytes least_reservation = Bytes{64} << 20;

/// Inaccessible address space; null: none.
std::byte* inaccessible(std::byte* where, Bytes size) noexcept {
  void* const place = mmap(where, static_cast<std::size_t>(size), PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED : 0), -1, 0);
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}

Bytes unused_memory() noexcept { return static_cast<Bytes>(sysconf(_SC_AVPHYS_PAGES)) * page_size(); }

/// vm.overcommit_memory is 2. A page of a memfd that does not come then is not a null pointer but SIGBUS.
bool system_promises_nothing() noexcept {
  const Descriptor setting(open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC));
  char mode = 0;
  return setting && read(setting.get(), &mode, 1) == 1 && mode == '2';
}

}  // namespace

SharedMemory::~SharedMemory() {
  for (const Region& region : live_) withdraw(region);
  if (std::byte* const base = base_.load()) munmap(base, static_cast<std::size_t>(size_));
}

bool SharedMemory::reserve() noexcept {
  if (size_ != 0) return size_ > 0;
  size_ = -1;
  if (commit_ == Commit::as_the_system) commit_ = system_promises_nothing() ? Commit::at_once : Commit::with_use;
  if (!file_.table || file_.descriptor < 0) return false;
  // Less where address space is short (ulimit -v): what does not fit then is the MPI library's.
  for (Bytes size = file_.shared; size >= std::min(least_reservation, file_.shared) && size > 0;
       size = size / 2 / huge_page * huge_page) {
    std::byte* const place = inaccessible(nullptr, size + huge_page);
    if (!place) continue;
    const auto address = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(place));
    const Bytes skip = round_up(address, huge_page) - address;
    if (skip > 0) munmap(place, static_cast<std::size_t>(skip));
    munmap(place + skip + size, static_cast<std::size_t>(huge_page - skip));
    base_.store(place + skip, std::memory_order_relaxed);
    size_ = size;
    return true;
  }
  return false;
}

bool SharedMemory::map(const Region& region) const noexcept {
  std::byte* const base = base_.load(std::memory_order_relaxed) + region.offset;
  const auto size = static_cast<std::size_t>(region.bytes);
  if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.descriptor, file_.shared_from + region.offset) ==
      MAP_FAILED) {
    drop(region);
    return false;
  }
  if (region.bytes >= huge_page) {
    madvise(base, size, MADV_HUGEPAGE);
    if (region.bytes <= unused_memory() / 2) make_huge(base, region.bytes);
  }
  if (commit_ == Commit::with_use || fallocate(file_.descriptor, 0, file_.shared_from + region.offset, region.bytes) == 0)
    return true;
  drop(region);
  return false;
}

void SharedMemory::drop(const Region& region) const noexcept {
  // Peers may keep it mapped for a while; the pages go now.
  fallocate(file_.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, file_.shared_from + region.offset, region.bytes);
  inaccessible(base_.load(std::memory_order_relaxed) + region.offset, region.bytes);
}

void SharedMemory::withdraw(const Region& region) const noexcept {
  slots_of(file_)[region.id].withdraw();
  drop(region);
}

void* SharedMemory::allocate(Bytes bytes) noexcept try {
  if (bytes <= 0 || bytes > file_.shared) return nullptr;
  const Bytes unit = bytes >= huge_page ? huge_page : page_size();
  Region fresh{.bytes = round_up(bytes, unit)};
  const std::lock_guard guard(lock_);
  if (!reserve()) return nullptr;
  // Here, so that nothing can fail half-way.
  if (live_.size() == live_.capacity()) live_.reserve(2 * live_.size() + 16);
  if (free_ids_.capacity() < live_.capacity()) free_ids_.reserve(live_.capacity());

  auto next = live_.begin();
  for (; next != live_.end() && fresh.offset + fresh.bytes > next->offset; ++next)
    fresh.offset = round_up(next->offset + next->bytes, unit);
  if (fresh.offset + fresh.bytes > size_) return nullptr;

  if (free_ids_.empty() && fresh_id_ == slots) return nullptr;
  if (!map(fresh)) return nullptr;
  if (free_ids_.empty()) {
    fresh.id = fresh_id_++;
  } else {
    fresh.id = free_ids_.back();
    free_ids_.pop_back();
  }
  fresh.version = fresh_version_++;
  slots_of(file_)[fresh.id].publish(fresh.version, fresh.offset, fresh.bytes);
  live_.insert(next, fresh);
  used_.store(std::max(used_.load(std::memory_order_relaxed), fresh.offset + fresh.bytes), std::memory_order_release);
  return base_.load(std::memory_order_relaxed) + fresh.offset;
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool SharedMemory::release(void* memory) noexcept {
  const std::lock_guard guard(lock_);
  if (live_.empty()) return false;
  const auto offset = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(memory) -
                                         reinterpret_cast<std::uintptr_t>(base_.load(std::memory_order_relaxed)));
  const auto region = std::ranges::lower_bound(live_, offset, {}, &Region::offset);
  if (region == live_.end() || region->offset != offset) return false;
  withdraw(*region);
  free_ids_.push_back(region->id);
  live_.erase(region);
  return true;
}

std::optional<Place> SharedMemory::find_among(Bytes at, Bytes bytes) const noexcept {
  const std::lock_guard guard(lock_);
  const auto after = std::ranges::upper_bound(live_, at, {}, &Region::offset);
  if (after == live_.begin()) return std::nullopt;
  const Region& region = *std::prev(after);
  const Bytes offset = at - region.offset;
  if (offset >= region.bytes || bytes < 0 || bytes > region.bytes - offset) return std::nullopt;
  return Place{.version = region.version, .offset = offset, .id = region.id};
}

std::size_t SharedMemory::live() const noexcept {
  const std::lock_guard guard(lock_);
  return live_.size();
}

}  // namespace heddle::transport
