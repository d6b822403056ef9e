// mpi/types/opaque.cpp: element by element where the host's counts are ints; nobody waits for such types.
#include "mpi/types/opaque.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "threads/pool.hpp"

namespace heddle::mpi {

Opaque::Opaque(MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return;
  empty_ = size == 0;
  if (size > 0 && size <= INT_MAX && PMPI_Type_dup(type, &type_) == MPI_SUCCESS) size_ = size;
}

Opaque::~Opaque() {
  if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

namespace {

/// Elements that go into one call of the host.
int together(Bytes elements, Bytes size) { return static_cast<int>(std::min<Bytes>(elements, INT_MAX / size)); }

struct Extent {
  explicit Extent(MPI_Datatype type) { known = PMPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS; }
  MPI_Aint lower = 0, extent = 0;
  bool known = false;
};

}  // namespace

bool Opaque::pack(const Buffer& data, void* packed, Bytes bytes) const noexcept {
  const Extent of(type_);
  for (Bytes done = 0, all = bytes / size_; of.known && done < all;) {
    const int n = together(all - done, size_);
    int place = 0;
    if (PMPI_Pack(displaced(data.address, done * of.extent), n, type_, static_cast<std::byte*>(packed) + done * size_,
                  static_cast<int>(n * size_), &place, MPI_COMM_SELF) != MPI_SUCCESS)
      return false;
    done += n;
  }
  return of.known;
}

bool Opaque::unpack(const Buffer& data, const void* packed, Bytes arrived) const noexcept {
  const Extent of(type_);
  const auto* from = static_cast<const std::byte*>(packed);
  const Bytes whole = arrived / size_;
  for (Bytes done = 0; of.known && done < whole;) {
    const int n = together(whole - done, size_);
    int place = 0;
    if (PMPI_Unpack(from + done * size_, static_cast<int>(n * size_), &place,
                    const_cast<void*>(displaced(data.address, done * of.extent)), n, type_, MPI_COMM_SELF) != MPI_SUCCESS)
      return false;
    done += n;
  }
  const Bytes rest = arrived - whole * size_;
  if (!of.known || rest == 0) return of.known;
  // The front of an element: over what the program has there.
  const Buffer last{displaced(data.address, whole * of.extent), 1, type_};
  threads::StagingBuffer element;
  if (!element.reserve(size_) || !pack(last, element.data(), size_)) return false;
  std::memcpy(element.data(), from + whole * size_, static_cast<std::size_t>(rest));
  return unpack(last, element.data(), size_);
}

}  // namespace heddle::mpi
