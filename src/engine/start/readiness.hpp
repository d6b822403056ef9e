// engine/start/readiness.hpp: finds out whether all ranks of a job are ready to share memory, and
// tells them the nonce of rank 0, which marks the job's messages. One reduction does both: it takes
// the least of each number.
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

#include "engine/node/descriptor.hpp"
#include "transport/handover.hpp"

namespace heddle::engine {

/// A nonce that no program sends by chance. Throws std::runtime_error if the system gives no random
/// numbers.
inline Nonce random_nonce() {
  const Nonce nonce = transport::random_secret();
  if (nonce == Nonce{}) throw std::runtime_error("the system gives no random numbers");
  return nonce;
}

class Readiness {
 public:
  /// The numbers of rank `me`.
  /// @param nonce  Only that of rank 0 counts.
  Readiness(bool ready, const Nonce& nonce, int me) noexcept {
    numbers_.fill(std::numeric_limits<int>::max());  // so that rank 0's are the least
    numbers_[0] = ready ? 1 : 0;
    if (me == 0) std::ranges::copy(std::bit_cast<Halves>(nonce), numbers_.begin() + 1);
  }

  static constexpr int count = 1 + sizeof(Nonce) / sizeof(int);
  [[nodiscard]] int* numbers() noexcept { return numbers_.data(); }

  /// The nonce of rank 0, from the numbers of all ranks. Nothing: a rank is not ready.
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
