// mpi/communicators/for_host.hpp: a buffer argument with a count that the host takes. A host
// without large counts (Open MPI before 6) gets more than INT_MAX elements as one element of a new
// datatype. That type has the same elements in large pieces, so the signature keeps its basic type.
//
//   HEDDLE_MESSAGE_BY_HOST(Isend, (Buffer{packed, count, MPI_INT}), comm, rank, tag, comm, request)
#pragma once

#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/types/typed_buffer.hpp"

/// Calls PMPI_<name>, or PMPI_<name>_c for many elements, with a buffer argument and the other
/// arguments. Returns the result. `where`: a communicator or a Hold. Its handler hears of the error
/// if there is no memory for a datatype.
#define HEDDLE_MESSAGE_BY_HOST(name, buffer, where, ...)                                                             \
  [&]() -> ::heddle::mpi::Raised {                                                                                   \
    using ::heddle::mpi::Raised;                                                                                     \
    const ::heddle::mpi::ForHost given(buffer, PMPI_##name##_c != nullptr);                                          \
    if (!given) return ::heddle::mpi::raise_new(MPI_ERR_NO_MEM, where);                                              \
    return Raised::by_host(given.wide() ? PMPI_##name##_c(given.address(), given.count(), given.type(), __VA_ARGS__) \
                                        : PMPI_##name(given.address(), given.count(), given.type(), __VA_ARGS__));   \
  }()

namespace heddle::mpi {

/// `count` elements of `type`, committed. MPI_DATATYPE_NULL: there is no memory.
MPI_Datatype in_large_pieces(Count count, MPI_Datatype type) noexcept;

class ForHost {
 public:
  /// @param large  The host has a procedure for large counts.
  ForHost(const Buffer& data, bool large) noexcept : data_(data), wide_(large && !fits(data.count)) {
    if (large || fits(data.count)) [[likely]]
      return;
    made_ = true;
    data_.type = in_large_pieces(data.count, data.type);
    data_.count = 1;
  }
  ForHost(const ForHost&) = delete;
  ForHost& operator=(const ForHost&) = delete;
  /// The host keeps the datatype as long as operations under way need it.
  ~ForHost() {
    if (made_ && *this) PMPI_Type_free(&data_.type);
  }

  /// False: there is no memory for the datatype.
  explicit operator bool() const noexcept { return !made_ || data_.type != MPI_DATATYPE_NULL; }
  [[nodiscard]] bool wide() const noexcept { return wide_; }
  [[nodiscard]] void* address() const noexcept { return const_cast<void*>(data_.address); }
  [[nodiscard]] Number count() const noexcept { return {data_.count}; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return data_.type; }

 private:
  Buffer data_;
  bool wide_;
  bool made_ = false;
};

}  // namespace heddle::mpi
