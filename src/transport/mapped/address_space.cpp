// transport/mapped/address_space.cpp: reserves with PROT_NONE, then maps over it with MAP_FIXED.
#include "transport/mapped/address_space.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace heddle::transport {
namespace {

std::byte* inaccessible(std::byte* where, Bytes size) noexcept {
  void* const place = mmap(where, static_cast<std::size_t>(size), PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED : 0), -1, 0);
  if (place == MAP_FAILED) return nullptr;
  munlock(place, static_cast<std::size_t>(size));  // after mlockall(MCL_FUTURE) the range counts against RLIMIT_MEMLOCK
  return static_cast<std::byte*>(place);
}

}  // namespace

AddressSpace::~AddressSpace() {
  if (base_) munmap(base_, static_cast<std::size_t>(size_));
}

bool AddressSpace::reserve(Bytes size, Bytes least) noexcept {
  for (; size > 0 && size >= least; size = size / 2 / huge_page * huge_page) {
    std::byte* const place = inaccessible(nullptr, size + huge_page);
    if (!place) continue;
    const auto address = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(place));
    const Bytes skip = round_up(address, huge_page) - address;
    if (skip > 0) munmap(place, static_cast<std::size_t>(skip));
    munmap(place + skip + size, static_cast<std::size_t>(huge_page - skip));
    base_ = place + skip;
    size_ = size;
    return true;
  }
  return false;
}

bool AddressSpace::show(int file, Bytes file_offset, Bytes at, Bytes bytes, Mapping::Access access) noexcept {
  if (at < 0 || bytes <= 0 || at > size_ - bytes) return false;
  const int protection = access == Mapping::Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  const auto length = static_cast<std::size_t>(bytes);
  if (mmap(base_ + at, length, protection, MAP_SHARED | MAP_FIXED, file, file_offset + at) == MAP_FAILED) {
    inaccessible(base_ + at, bytes);
    return false;
  }
  madvise(base_ + at, length, MADV_HUGEPAGE);
  // Only the owner's mapping belongs into a core dump.
  if (access == Mapping::Access::read) madvise(base_ + at, length, MADV_DONTDUMP);
  return true;
}

}  // namespace heddle::transport
