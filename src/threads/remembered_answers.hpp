// threads/remembered_answers.hpp: yes, as the answer to a question that was costly to decide, for
// the next 31 times that the same question is asked. Then it is decided anew.
//
//   RememberedAnswers left;
//   if (left.holds(key)) return PMPI_Isend(...);               // a load and a store of one line
//   if (left_to_host(...)) left.note(key);
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace heddle::threads {

/// A wrong answer must cost time and nothing else: two questions may have the same hash, and
/// threads may ask a few times more.
class RememberedAnswers {
 public:
  /// @param key  A hash of the question. All bits but the lowest 5 count.
  [[nodiscard]] bool holds(std::uint64_t key) noexcept {
    std::atomic<std::uint64_t>& place = places_[place_of(key)];
    const std::uint64_t word = place.load(std::memory_order_relaxed);
    if ((word ^ key) > times || (word & times) == 0) return false;
    place.store(word - 1, std::memory_order_relaxed);
    return true;
  }
  void note(std::uint64_t key) noexcept { places_[place_of(key)].store(key | times, std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t times = 31;
  static constexpr int place_bits = 2;
  static constexpr std::size_t place_of(std::uint64_t key) noexcept { return key >> (64 - place_bits); }
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << place_bits> places_{};
};

}  // namespace heddle::threads
