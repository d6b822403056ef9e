// mpi/types/handles.cpp: the host is asked once for each type. The handles of Open MPI are
// addresses, so the table of pairs is filled at the first look.
#include "mpi/types/handles.hpp"

#include <array>

namespace heddle::mpi {
namespace {

const std::array<Pair, 5>& pairs() {
  using layout::pair_in_c;
  static const std::array<Pair, 5> table = {
      pair_in_c<float>(MPI_FLOAT_INT, MPI_FLOAT, MPI_INT), pair_in_c<double>(MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT),
      pair_in_c<long>(MPI_LONG_INT, MPI_LONG, MPI_INT), pair_in_c<short>(MPI_SHORT_INT, MPI_SHORT, MPI_INT),
      pair_in_c<long double>(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT)};
  return table;
}

}  // namespace

const Pair* pair(MPI_Datatype type) {
  for (const Pair& each : pairs())
    if (each.pair == type) return &each;
  return nullptr;
}

const Pair* pair_of(MPI_Datatype first, MPI_Datatype second) {
  for (const Pair& each : pairs())
    if (each.value == first && each.index == second) return &each;
  return nullptr;
}

bool twin(MPI_Datatype type, MPI_Datatype& element) {
  // If a host was built without Fortran, some of these are MPI_DATATYPE_NULL. No caller asks for
  // that.
  if (type == MPI_2INT)
    element = MPI_INT;
  else if (type == MPI_2INTEGER)
    element = MPI_INTEGER;
  else if (type == MPI_2REAL)
    element = MPI_REAL;
  else if (type == MPI_2DOUBLE_PRECISION)
    element = MPI_DOUBLE_PRECISION;
  else
    return false;
  return true;
}

Predefined look_up_predefined(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return {};  // a mistake: the call raises it on its own communicator, not on MPI_COMM_WORLD
  MPI_Count size = 0;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return {};
  const Predefined found{size, pair(type) != nullptr};
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return found;
  // Only named types are noted: the handles of other types are given out again after a type is
  // freed.
  if (combiner == MPI_COMBINER_NAMED && size <= largest_element)
    known_predefined.note(type, static_cast<unsigned>(size) | (found.pair ? 1U << size_bits : 0U));
  return found;
}

}  // namespace heddle::mpi
