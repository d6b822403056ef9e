// threads/staging_pool.cpp: buffers are used last in, first out, so that they are still in the
// cache.
#include "threads/staging_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace heddle::threads {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// A buffer of this size is only address space, for which the system reserves no memory. A receive
/// with room for gigabytes may get a short message.
constexpr std::size_t unpromised = std::size_t{1} << 30;

std::byte* allocate(std::size_t size) noexcept {
  if (size >= unpromised) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, size, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
  }
  const bool huge = size >= 2 * huge_page;
  void* memory = std::aligned_alloc(huge ? huge_page : page, size);
  if (memory && huge) madvise(memory, size, MADV_HUGEPAGE);  // advice: fewer faults while the buffer is cold
  return static_cast<std::byte*>(memory);
}

void deallocate(void* buffer, std::size_t size) noexcept {
  if (size >= unpromised)
    munmap(buffer, size);
  else
    std::free(buffer);
}

}  // namespace

Pool& Pool::of_process() noexcept {
  static constinit Pool pool;
  return pool;
}

std::byte* Pool::take(layout::Bytes size, int& list) noexcept {
  if (size > (layout::Bytes{1} << largest)) return nullptr;
  const auto wanted = static_cast<std::size_t>(size > 0 ? size : 1);
  const int log = std::max(static_cast<int>(std::bit_width(wanted - 1)), smallest);
  list = log - smallest;
  {
    const std::lock_guard guard(lock_);
    if (Free* head = free_[static_cast<std::size_t>(list)]) {
      free_[static_cast<std::size_t>(list)] = head->next;
      return reinterpret_cast<std::byte*>(head);
    }
    owned_ += layout::Bytes{1} << log;
  }
  std::byte* buffer = allocate(std::size_t{1} << log);
  if (!buffer) {
    clear();
    buffer = allocate(std::size_t{1} << log);
  }
  if (!buffer) {
    const std::lock_guard guard(lock_);
    owned_ -= layout::Bytes{1} << log;
  }
  return buffer;
}

void Pool::give(std::byte* buffer, int list) noexcept {
  {
    const std::lock_guard guard(lock_);
    if (owned_ <= limit_) {
      Free*& head = free_[static_cast<std::size_t>(list)];
      head = new (buffer) Free{head};
      return;
    }
    owned_ -= layout::Bytes{1} << (list + smallest);
  }
  deallocate(buffer, std::size_t{1} << (list + smallest));
}

void Pool::keep_at_most(layout::Bytes limit) noexcept {
  {
    const std::lock_guard guard(lock_);
    limit_ = limit;
    if (owned_ <= limit_) return;
  }
  clear();
}

void Pool::clear() noexcept {
  for (std::size_t list = 0; list < free_.size(); ++list) {
    Free* head = nullptr;
    {
      const std::lock_guard guard(lock_);
      std::swap(head, free_[list]);
      for (Free* each = head; each; each = each->next) owned_ -= layout::Bytes{1} << (list + smallest);
    }
    while (head) deallocate(std::exchange(head, head->next), std::size_t{1} << (list + smallest));
  }
}

}  // namespace heddle::threads
