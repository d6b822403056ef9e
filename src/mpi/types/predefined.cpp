// mpi/types/predefined.cpp: the host is asked once for each type.
#include "mpi/types/predefined.hpp"

#include "mpi/types/pairs.hpp"

namespace heddle::mpi {

Predefined look_up_predefined(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return {};  // a mistake that is raised on the call's communicator, not on the world
  MPI_Count size = 0;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return {};
  const Predefined found{size, pair(type) != nullptr};
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return found;
  // Handles of other types are used again when their type is freed.
  const std::uint64_t key = threads::key_of(type);
  if (combiner == MPI_COMBINER_NAMED && size <= largest_element && key >> (64 - about_bits) == 0)
    known_predefined[threads::hash_of(key, 6)].store(
        (key << about_bits) | (std::uint64_t{found.pair} << size_bits) | static_cast<std::uint64_t>(size),
        std::memory_order_relaxed);
  return found;
}

}  // namespace heddle::mpi
