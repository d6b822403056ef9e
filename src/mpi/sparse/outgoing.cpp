// mpi/sparse/outgoing.cpp
#include "mpi/sparse/outgoing.hpp"

#include <algorithm>
#include <climits>

#include "layout/pack.hpp"

namespace heddle::mpi::sparse {
namespace {

/// The host packs in steps whose bytes and elements fit into int.
template <class Step>
int in_steps(Count count, Bytes size, Step step) {
  const Count most = std::max<Count>(1, INT_MAX / 2 / std::max<Bytes>(1, size));
  for (Count done = 0; done < count; done += most)
    if (const int error = step(done, static_cast<int>(std::min(most, count - done))); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

}  // namespace

int Element::look(MPI_Datatype type) noexcept {
  type_ = type;
  if (type == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  derived_ = Derived(hold_any(type));
  MPI_Aint low = 0;
  if (const int error = PMPI_Type_size_x(type, &shape_.size); error != MPI_SUCCESS) return error;
  if (const int error = PMPI_Type_get_extent(type, &low, &shape_.extent); error != MPI_SUCCESS) return error;
  return PMPI_Type_get_true_extent(type, &shape_.first, &shape_.span);
}

std::byte* Element::dense(const void* address, Count count) const noexcept {
  if (!derived_ || !derived_->contiguous(count)) return nullptr;
  return static_cast<std::byte*>(const_cast<void*>(displaced(address, derived_->first_byte())));
}

int Element::pack(const void* address, Count count, std::byte* to, MPI_Comm comm) const {
  if (derived_) {
    layout::pack(derived_->layout(), count, address, to);
    return MPI_SUCCESS;
  }
  const Bytes size = shape_.size;
  return in_steps(count, size, [&](Count done, int now) {
    int position = 0;
    return PMPI_Pack(displaced(address, done * shape_.extent), now, type_, to + done * size, static_cast<int>(now * size),
                     &position, comm);
  });
}

int Element::unpack(const std::byte* from, void* address, Count count, MPI_Comm comm) const {
  if (derived_) {
    layout::unpack(derived_->layout(), count, address, from);
    return MPI_SUCCESS;
  }
  const Bytes size = shape_.size;
  return in_steps(count, size, [&](Count done, int now) {
    int position = 0;
    return PMPI_Unpack(from + done * size, static_cast<int>(now * size), &position,
                       const_cast<void*>(displaced(address, done * shape_.extent)), now, type_, comm);
  });
}

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
    if (__builtin_mul_overflow(count, element.shape().size, &bytes) ||
        __builtin_mul_overflow(count, element.shape().extent, &reach) || __builtin_add_overflow(next, reach, &next))
      return MPI_ERR_COUNT;
    if (!each && departures.places && __builtin_mul_overflow(departures.places[i], element.shape().extent, &place))
      return MPI_ERR_ARG;
    if (to == MPI_PROC_NULL) continue;
    const void* address = displaced(departures.data, place);
    messages_.push_back({to, bytes, address, count, elements_.size() - 1, element.dense(address, count)});
  }
  return MPI_SUCCESS;
}

}  // namespace heddle::mpi::sparse
