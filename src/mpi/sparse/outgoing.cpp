// mpi/sparse/outgoing.cpp
#include "mpi/sparse/outgoing.hpp"

namespace heddle::mpi::sparse {

int Outgoing::read(const heddle_departures& departures, int ranks) {
  const int n = departures.messages;
  const bool each = departures.types != nullptr;
  if (n < 0 || (n > 0 && (!departures.to || !departures.counts || (each && !departures.places)))) return MPI_ERR_ARG;
  messages_.reserve(static_cast<std::size_t>(n));
  Bytes next = 0;
  for (int i = 0; i < n; ++i) {
    const int to = departures.to[i];
    const Count count = departures.counts[i];
    if (to != MPI_PROC_NULL && (to < 0 || to >= ranks)) return MPI_ERR_RANK;
    if (count < 0) return MPI_ERR_COUNT;
    const MPI_Datatype type = each ? departures.types[i] : departures.type;
    if (elements_.empty() || elements_.back().type() != type)
      if (const int error = elements_.emplace_back().look(type); error != MPI_SUCCESS) return error;
    const Element& element = elements_.back();
    Bytes place = each ? departures.places[i] : next;
    Bytes bytes = 0;
    Bytes reach = 0;
    if (__builtin_mul_overflow(count, element.measures().size, &bytes) ||
        __builtin_mul_overflow(count, element.measures().extent, &reach) || __builtin_add_overflow(next, reach, &next))
      return MPI_ERR_COUNT;
    if (!each && departures.places && __builtin_mul_overflow(departures.places[i], element.measures().extent, &place))
      return MPI_ERR_ARG;
    if (to == MPI_PROC_NULL) continue;
    const void* address = displaced(departures.data, place);
    messages_.push_back({to, bytes, address, count, elements_.size() - 1, element.dense(address, count)});
  }
  return MPI_SUCCESS;
}

}  // namespace heddle::mpi::sparse
