// mpi/sparse/incoming.cpp
#include "mpi/sparse/incoming.hpp"

#include <algorithm>

namespace heddle::mpi::sparse {

std::byte* Incoming::keep(Bytes bytes) {
  kept_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
  return kept_.back().get();
}

int Incoming::lay_out(heddle_arrivals& arrivals) {
  std::ranges::stable_sort(messages_, {}, &Message::source);
  if (const int error = heddle_arrivals_list(&arrivals, static_cast<MPI_Count>(messages_.size())); error != MPI_SUCCESS)
    return error;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const_cast<int*>(arrivals.sources)[i] = messages_[i].source;
    const_cast<MPI_Count*>(arrivals.counts)[i] = messages_[i].bytes;
  }
  const Element::Measures& one = element_.measures();
  const heddle_element shape{one.size, one.extent, one.first, one.span};
  const int result = heddle_arrivals_lay_out(&arrivals, &shape);
  laid_out_ = result == MPI_SUCCESS || result == MPI_ERR_TRUNCATE;
  return result;
}

bool Incoming::fits(const heddle_arrivals& arrivals, std::size_t i) const {
  return laid_out_ && arrivals.data && arrivals.places[i] + arrivals.counts[i] <= arrivals.room;
}

void* Incoming::address(const heddle_arrivals& arrivals, std::size_t i) const {
  return const_cast<void*>(displaced(arrivals.data, arrivals.places[i] * element_.measures().extent));
}

std::byte* Incoming::place_of(const heddle_arrivals& arrivals, std::size_t i) const {
  return fits(arrivals, i) ? element_.dense(address(arrivals, i), arrivals.counts[i]) : nullptr;
}

int Incoming::fill(heddle_arrivals& arrivals) {
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& message = messages_[i];
    if (message.bytes == 0 || !fits(arrivals, i) || message.at == place_of(arrivals, i)) continue;
    if (const int error = element_.unpack(message.at, address(arrivals, i), arrivals.counts[i], comm_); error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

int Incoming::place(heddle_arrivals& arrivals) {
  const int result = lay_out(arrivals);
  const int error = fill(arrivals);
  return error != MPI_SUCCESS ? error : result;
}

}  // namespace heddle::mpi::sparse
