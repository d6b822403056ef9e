// threads/recent.hpp: a few bits about each recently used handle, found without a lock. Handle and
// bits are one word, so that readers see both as they were written.
//
//   constinit Recent<6, 7> sizes;                             // 64 places, 7 bits about each handle
//   sizes.note(MPI_INT, 4);
//   unsigned size = 0;
//   if (sizes.find(MPI_INT, size)) ...
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "threads/handle_table.hpp"

namespace heddle::threads {

/// Handles with the same hash share a place: it has the last handle that was noted.
template <int place_bits, int about_bits>
class Recent {
 public:
  /// False: nothing is known about the handle. (A std::optional would pass through memory, which
  /// takes longer than the look-up.)
  template <class Handle>
  [[nodiscard]] bool find(Handle handle, unsigned& about) const noexcept {
    const std::uint64_t key = key_of(handle);
    const std::uint64_t word = words_[hash_of(key, place_bits)].load(std::memory_order_relaxed);
    if (word >> about_bits != key) return false;
    about = static_cast<unsigned>(word & ((1U << about_bits) - 1));
    return true;
  }

  /// Does nothing if handle and bits do not fit into a word.
  template <class Handle>
  void note(Handle handle, unsigned about) noexcept {
    const std::uint64_t key = key_of(handle);
    if (key >> (64 - about_bits) == 0)
      words_[hash_of(key, place_bits)].store(key << about_bits | about, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << place_bits> words_{};
};

}  // namespace heddle::threads
