// layout/kernel/colliding_stores.cpp: unpacks a column into one set of the first-level cache, by
// the kernel for colliding stores and by plain stores. The memory is the second-level cache's, and
// is not taken from the heap.
#include "layout/kernel/colliding_stores.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "layout/kernel/cache_lines.hpp"
#include "layout/kernel/kernel_table.hpp"

namespace heddle::layout::kernel {
namespace {

/// The blocks to unpack.
struct Column {
  static constexpr Count blocks = 128;
  static constexpr Bytes block = 8, stride = cache_line * cache_sets, span = blocks * stride;
  static constexpr int rounds = 9, runs = 4;
};

enum class Answer : int { granted, open, pays, costs };
constinit std::atomic<Answer> answer{Answer::granted};

double nanoseconds(NestRun run, std::byte* to, const std::byte* packed) {
  const Dim outer{1, 0, 0}, inner{Column::blocks, Column::stride, Column::block};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < Column::runs; ++i) run(to, packed, outer, inner, Column::block);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// The shortest of alternating times decides: an interrupt makes a time longer.
Answer measured() noexcept {
  const NestRun careful = current->nests->of[static_cast<int>(Kernel::few_stores)][Column::block];
  const NestRun plain = current->nests->of[static_cast<int>(Kernel::single)][Column::block];
  void* const memory = mmap(nullptr, Column::span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Answer::granted;
  alignas(cache_line) std::byte packed[Column::blocks * Column::block] = {};
  auto* const to = static_cast<std::byte*>(memory);
  double careful_ns = std::numeric_limits<double>::max(), plain_ns = careful_ns;
  careful(to, packed, {1, 0, 0}, {Column::blocks, Column::stride, Column::block}, Column::block);  // touches the pages
  for (int i = 0; i < Column::rounds; ++i) {
    careful_ns = std::min(careful_ns, nanoseconds(careful, to, packed));
    plain_ns = std::min(plain_ns, nanoseconds(plain, to, packed));
  }
  munmap(memory, Column::span);
  return careful_ns < plain_ns ? Answer::pays : Answer::costs;
}

}  // namespace

void time_colliding_stores(bool measures) noexcept {
  answer.store(measures ? Answer::open : Answer::granted, std::memory_order_relaxed);
  use(thresholds());  // nests that were made ready are made anew
}

bool colliding_stores_pay() noexcept {
  Answer known = answer.load(std::memory_order_relaxed);
  if (known == Answer::open) answer.store(known = measured(), std::memory_order_relaxed);
  return known != Answer::costs;
}

}  // namespace heddle::layout::kernel
