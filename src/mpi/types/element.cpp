// mpi/types/element.cpp
#include "mpi/types/element.hpp"

#include <algorithm>
#include <climits>

#include "layout/pack.hpp"
#include "mpi/process/numbers.hpp"

namespace heddle::mpi {
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
  if (type == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (type == type_) return MPI_SUCCESS;
  type_ = type;
  derived_ = Derived(hold_any(type));
  const int error = measure();
  if (error != MPI_SUCCESS) type_ = MPI_DATATYPE_NULL;
  return error;
}

int Element::measure() noexcept {
  if (derived_) {
    const layout::Layout& layout = derived_->layout();
    measures_ = {derived_->size(), derived_->extent(), layout.true_lower_bound(), layout.true_extent()};
    return MPI_SUCCESS;
  }
  MPI_Count size = 0;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint first = 0;
  MPI_Aint span = 0;
  if (const int error = PMPI_Type_size_x(type_, &size); error != MPI_SUCCESS) return error;
  if (const int error = PMPI_Type_get_extent(type_, &low, &extent); error != MPI_SUCCESS) return error;
  if (const int error = PMPI_Type_get_true_extent(type_, &first, &span); error != MPI_SUCCESS) return error;
  measures_ = {size, extent, first, span};
  return MPI_SUCCESS;
}

std::byte* Element::dense(const void* address, Count count) const noexcept {
  if (!derived_ || !derived_->contiguous(count)) return nullptr;
  return static_cast<std::byte*>(const_cast<void*>(displaced(address, derived_->first_byte())));
}

int Element::pack(const void* address, Count count, std::byte* to, MPI_Comm comm) const noexcept {
  if (derived_) {
    layout::pack(derived_->layout(), count, address, to);
    return MPI_SUCCESS;
  }
  const Bytes size = measures_.size;
  return in_steps(count, size, [&](Count done, int now) {
    int position = 0;
    return PMPI_Pack(displaced(address, done * measures_.extent), now, type_, to + done * size, static_cast<int>(now * size),
                     &position, comm);
  });
}

int Element::unpack(const std::byte* from, void* address, Count count, MPI_Comm comm) const noexcept {
  if (derived_) {
    layout::unpack(derived_->layout(), count, address, from);
    return MPI_SUCCESS;
  }
  const Bytes size = measures_.size;
  return in_steps(count, size, [&](Count done, int now) {
    int position = 0;
    return PMPI_Unpack(from + done * size, static_cast<int>(now * size), &position,
                       const_cast<void*>(displaced(address, done * measures_.extent)), now, type_, comm);
  });
}

}  // namespace heddle::mpi
