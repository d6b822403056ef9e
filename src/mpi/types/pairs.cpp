// mpi/types/pairs.cpp: the table of pairs. The handles of Open MPI are addresses, so it is filled at the first look.
#include "mpi/types/pairs.hpp"

#include <array>

namespace heddle::mpi {
namespace {

template <class Value>
Pair make(MPI_Datatype pair, MPI_Datatype value) {
  struct InMemory {
    Value value;
    int index;
  };
  return {pair, value, sizeof(Value), offsetof(InMemory, index), sizeof(InMemory)};
}

const std::array<Pair, 5>& pairs() {
  static const std::array<Pair, 5> table = {make<float>(MPI_FLOAT_INT, MPI_FLOAT), make<double>(MPI_DOUBLE_INT, MPI_DOUBLE),
                                            make<long>(MPI_LONG_INT, MPI_LONG), make<short>(MPI_SHORT_INT, MPI_SHORT),
                                            make<long double>(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE)};
  return table;
}

}  // namespace

layout::Layout Pair::layout() const {
  const std::array<Count, 2> lengths = {1, 1};
  const std::array<Bytes, 2> displacements = {0, int_at};
  const std::array<layout::Layout, 2> members = {layout::basic(value_size), layout::basic(sizeof(int))};
  return layout::resized(layout::structure(lengths, displacements, members), 0, extent);
}

const Pair* pair(MPI_Datatype type) {
  for (const Pair& each : pairs())
    if (each.pair == type) return &each;
  return nullptr;
}

const Pair* pair_of(MPI_Datatype first, MPI_Datatype second) {
  for (const Pair& each : pairs())
    if (each.value == first && second == MPI_INT) return &each;
  return nullptr;
}

bool twin(MPI_Datatype type, MPI_Datatype& element) {
  // If a host was built without Fortran some of these are MPI_DATATYPE_NULL, which nobody asks for.
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

}  // namespace heddle::mpi
