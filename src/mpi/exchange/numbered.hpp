// mpi/exchange/numbered.hpp: numbers of communicators that Heddle makes beside the program's: the same on all ranks of one, and
// no two of a rank have the same. What is left at MPI_Finalize is freed in their order, for MPI_Comm_free is collective.
// Includes nothing of Heddle.
//
//   std::int64_t number = -numbered::offer(world_rank);        // a reduction by MPI_MIN goes over it
//   numbered::taken(number = -number);
//
// The greatest offer of all ranks wins, as on Lamport's clock. A rank never offers the same twice, and its rank is in its
// offer: so two communicators that threads make at once have two numbers.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::mpi::numbered {

inline constinit std::atomic<std::int64_t> clock{0};
constexpr int rank_bits = 31;

inline std::int64_t offer(int world_rank) noexcept { return (++clock << rank_bits) | world_rank; }

inline void taken(std::int64_t number) noexcept {
  const std::int64_t time = number >> rank_bits;
  std::int64_t now = clock;
  while (now < time && !clock.compare_exchange_weak(now, time)) continue;
}

}  // namespace heddle::mpi::numbered
