// mpi/types/element.cpp: packs and unpacks by layout/, or by the host in steps whose numbers fit
// into int.
#include "mpi/types/element.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "layout/pack.hpp"
#include "mpi/process/numbers.hpp"
#include "threads/staging_pool.hpp"

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

Opaque::Opaque(MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return;
  empty_ = size == 0;
  if (empty_ || size < 0 || size > INT_MAX || PMPI_Type_dup(type, &type_) != MPI_SUCCESS) return;
  if (element_.look(type_) != MPI_SUCCESS) PMPI_Type_free(&type_);
}

Opaque::~Opaque() {
  if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

bool Opaque::pack(const Buffer& data, void* packed, Bytes bytes) const noexcept {
  return element_.pack(data.address, bytes / size(), static_cast<std::byte*>(packed), MPI_COMM_SELF) == MPI_SUCCESS;
}

bool Opaque::unpack(const Buffer& data, const void* packed, Bytes arrived) const noexcept {
  const auto* from = static_cast<const std::byte*>(packed);
  const Bytes whole = arrived / size();
  if (element_.unpack(from, const_cast<void*>(data.address), whole, MPI_COMM_SELF) != MPI_SUCCESS) return false;
  const Bytes rest = arrived - whole * size();
  if (rest == 0) return true;
  // Only the front of the last element has arrived. The rest of it keeps the program's bytes.
  const Buffer last{displaced(data.address, whole * element_.measures().extent), 1, type_};
  threads::StagingBuffer element;
  if (!element.reserve(size()) || !pack(last, element.data(), size())) return false;
  std::memcpy(element.data(), from + whole * size(), static_cast<std::size_t>(rest));
  return unpack(last, element.data(), size());
}

}  // namespace heddle::mpi
