// engine/readiness.hpp: what the ranks of a job say before they share memory: whether they are
// ready to, and rank 0 by which nonce its messages are to be known. By one reduction: the least of
// each number.
//
//   Readiness all(ready, nonce, me);
//   MPI_Allreduce(MPI_IN_PLACE, all.numbers(), Readiness::count, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
//   if (const std::optional<Nonce> nonce = all.nonce()) ...
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>

#include "engine/descriptor.hpp"
#include "transport/handover.hpp"

namespace heddle::engine {

/// One that no program sends by chance. Throws std::runtime_error, if the system gives no random numbers.
inline Nonce random_nonce() {
  const Nonce nonce = transport::random_secret();
  if (nonce == Nonce{}) throw std::runtime_error("the system gives no random numbers");
  return nonce;
}

class Readiness {
 public:
  /// What rank `me` says. @param nonce  Rank 0's, or any.
  Readiness(bool ready, const Nonce& nonce, int me) noexcept {
    numbers_.fill(std::numeric_limits<int>::max());  // so that rank 0's are the least
    numbers_[0] = ready ? 1 : 0;
    if (me == 0) std::ranges::copy(std::bit_cast<Halves>(nonce), numbers_.begin() + 1);
  }

  static constexpr int count = 1 + sizeof(Nonce) / sizeof(int);
  [[nodiscard]] int* numbers() noexcept { return numbers_.data(); }

  /// Of all ranks: rank 0's. Nothing: one is not ready.
  [[nodiscard]] std::optional<Nonce> nonce() const noexcept {
    if (numbers_[0] == 0) return {};
    Halves halves{};
    std::copy(numbers_.begin() + 1, numbers_.end(), halves.begin());
    return std::bit_cast<Nonce>(halves);
  }

 private:
  using Halves = std::array<int, sizeof(Nonce) / sizeof(int)>;
  std::array<int, count> numbers_{};
};

}  // namespace heddle::engine
