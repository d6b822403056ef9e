// threads/free_lists.hpp: memory for objects that come and go all the time. Each size has a list,
// last in, first out. Memory is never given back to the system, so the lists keep the most that was
// in use at once.
//
//   static inline constinit FreeLists memory;
//   void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return memory.take(size); }
//   void operator delete(void* at, std::size_t size) noexcept { memory.give(at, size); }
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "threads/lock.hpp"

namespace heddle::threads {

class FreeLists {
 public:
  constexpr FreeLists() = default;
  FreeLists(const FreeLists&) = delete;
  FreeLists& operator=(const FreeLists&) = delete;

  /// Returns memory aligned to a cache line. Null: memory is short.
  void* take(std::size_t size) noexcept {
    const std::size_t list = (size - 1) / step;
    if (list < lists) {
      const std::lock_guard guard(lock_);
      if (Free* head = free_[list]) return std::exchange(free_[list], head->next);
    }
    return std::aligned_alloc(step, (list + 1) * step);
  }
  /// Takes back memory of take(), of the same size, or null.
  void give(void* memory, std::size_t size) noexcept {
    const std::size_t list = (size - 1) / step;
    if (!memory || list >= lists) return std::free(memory);
    const std::lock_guard guard(lock_);
    free_[list] = new (memory) Free{free_[list]};
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t step = 64;
  static constexpr std::size_t lists = 256;
  std::array<Free*, lists> free_{};
  Lock lock_;
};

}  // namespace heddle::threads
