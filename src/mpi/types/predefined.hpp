// mpi/types/predefined.hpp: sizes of predefined datatypes without a call of the host: every receive asks. Includes table.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "layout/bytes.hpp"
#include "mpi/types/table.hpp"

namespace heddle::mpi {

/// Of predefined types, bytes: a complex of two long doubles.
constexpr layout::Bytes largest_element = 32;

/// The most recent of the types with the same hash: handle and size in one word, so that it is read as it was written.
inline constexpr int size_bits = 7;
inline constinit std::array<std::atomic<std::uint64_t>, 64> known_sizes{};

/// Asks the host.
layout::Bytes look_up_size(MPI_Datatype type) noexcept;

/// Of a type that is not known(): predefined, or one that Heddle leaves to the host. 0: no such type.
inline layout::Bytes predefined_size(MPI_Datatype type) noexcept {
  const std::uint64_t key = key_of(type);
  const std::uint64_t word = known_sizes[hash_of(key, 6)].load(std::memory_order_relaxed);
  return word >> size_bits == key ? static_cast<layout::Bytes>(word & ((1U << size_bits) - 1)) : look_up_size(type);
}

}  // namespace heddle::mpi
