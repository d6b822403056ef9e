// mpi/types/opaque.cpp: nobody waits for such types.
#include "mpi/types/opaque.hpp"

#include <climits>
#include <cstring>

#include "threads/pool.hpp"

namespace heddle::mpi {

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
  // The front of an element: over what the program has there.
  const Buffer last{displaced(data.address, whole * element_.measures().extent), 1, type_};
  threads::StagingBuffer element;
  if (!element.reserve(size()) || !pack(last, element.data(), size())) return false;
  std::memcpy(element.data(), from + whole * size(), static_cast<std::size_t>(rest));
  return unpack(last, element.data(), size());
}

}  // namespace heddle::mpi
