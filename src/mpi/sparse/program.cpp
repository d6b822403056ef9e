// mpi/sparse/program.cpp
#include "mpi/sparse/program.hpp"

namespace heddle::mpi::sparse {

int Program::read(const heddle_departures& departures, MPI_Datatype receive_type, int ranks) {
  if (const int error = received_.look(receive_type); error != MPI_SUCCESS) return error;
  const int n = departures.messages;
  const bool each = departures.types != nullptr;
  if (n < 0 || (n > 0 && (!departures.to || !departures.counts || (each && !departures.places)))) return MPI_ERR_ARG;
  departures_.reserve(static_cast<std::size_t>(n));
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
    departures_.push_back({to, bytes, element.dense(address, count)});
    if (departures_.back().packed && bytes > 0) continue;
    places_.resize(departures_.size());
    places_.back() = {address, count, elements_.size() - 1};
  }
  return MPI_SUCCESS;
}

void Program::pack(std::size_t departure, std::byte* to) {
  const Place& place = places_[departure];
  check(elements_[place.element].pack(place.address, place.count, to, comm_));
}

void Program::lay_out(std::span<const engine::sparse::Arrival> arrivals) {
  laid_out_ = heddle_arrivals_list(&arrivals_, static_cast<MPI_Count>(arrivals.size()));
  if (laid_out_ != MPI_SUCCESS) return;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const_cast<int*>(arrivals_.sources)[i] = arrivals[i].from;
    const_cast<MPI_Count*>(arrivals_.counts)[i] = arrivals[i].bytes;
  }
  const Element::Measures& one = received_.measures();
  const heddle_element shape{one.size, one.extent, one.first, one.span};
  laid_out_ = heddle_arrivals_lay_out(&arrivals_, &shape);
}

bool Program::fits(std::size_t arrival) const {
  return (laid_out_ == MPI_SUCCESS || laid_out_ == MPI_ERR_TRUNCATE) && arrivals_.data &&
         arrivals_.places[arrival] + arrivals_.counts[arrival] <= arrivals_.room;
}

void* Program::address(std::size_t arrival) const {
  return const_cast<void*>(displaced(arrivals_.data, arrivals_.places[arrival] * received_.measures().extent));
}

std::byte* Program::place_of(std::size_t arrival) {
  return fits(arrival) ? received_.dense(address(arrival), arrivals_.counts[arrival]) : nullptr;
}

int Program::fill(std::span<const engine::sparse::Arrival> arrivals) {
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const engine::sparse::Arrival& one = arrivals[i];
    if (one.bytes == 0 || !fits(i) || one.at == place_of(i)) continue;
    if (const int error = received_.unpack(one.at, address(i), arrivals_.counts[i], comm_); error != MPI_SUCCESS) return error;
  }
  return laid_out_;
}

}  // namespace heddle::mpi::sparse
