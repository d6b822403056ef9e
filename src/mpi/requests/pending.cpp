// mpi/requests/pending.cpp: free lists, last in, first out, one for each size. Their memory is kept: it is the most that the
// program had in flight at once.
#include "mpi/requests/pending.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "mpi/requests/lock.hpp"

namespace heddle::mpi {
namespace {

constexpr std::size_t step = 64;
constexpr std::size_t lists = 256;

struct Free {
  Free* next;
};
constinit std::array<Free*, lists> free_lists{};
constinit requests::Lock lock;

}  // namespace

void* Pending::operator new(std::size_t size, const std::nothrow_t&) noexcept {
  const std::size_t list = (size - 1) / step;
  if (list < lists) {
    const std::lock_guard guard(lock);
    if (Free* head = free_lists[list]) return std::exchange(free_lists[list], head->next);
  }
  return std::aligned_alloc(step, (list + 1) * step);
}

void Pending::operator delete(void* memory, std::size_t size) noexcept {
  const std::size_t list = (size - 1) / step;
  if (!memory || list >= lists) return std::free(memory);
  const std::lock_guard guard(lock);
  free_lists[list] = new (memory) Free{free_lists[list]};
}

void Pending::operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

}  // namespace heddle::mpi
