// mpi/types/opaque.hpp: a datatype that Heddle cannot decode, packed by the host. Of no use for speed: a message that Heddle
// must see, since it may be a descriptor, is received packed, and put in place by the host's own reading of the type. Includes
// arguments.hpp, element.hpp.
//
//   Opaque type(datatype);
//   PMPI_Recv(packed, count * type.size(), MPI_BYTE, ...);
//   type.unpack({buffer, count, datatype}, packed, arrived);
#pragma once

#include <utility>

#include "mpi/types/arguments.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

class Opaque {
 public:
  Opaque() = default;
  /// Keeps a duplicate, since the program may free its handle while the receive is under way. False if the host refuses.
  explicit Opaque(MPI_Datatype type) noexcept;
  Opaque(Opaque&& other) noexcept
      : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)), element_(std::move(other.element_)), empty_(other.empty_) {}
  Opaque& operator=(Opaque&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(element_, other.element_);
    std::swap(empty_, other.empty_);
    return *this;
  }
  ~Opaque();

  explicit operator bool() const { return type_ != MPI_DATATYPE_NULL; }
  /// It describes no bytes: nothing is received.
  [[nodiscard]] bool empty() const { return empty_; }
  /// Of an element, bytes.
  [[nodiscard]] Bytes size() const { return element_.measures().size; }

  /// All of `data`, into `bytes` at `packed`. False: the host refuses.
  bool pack(const Buffer& data, void* packed, Bytes bytes) const noexcept;
  /// The first `arrived` bytes of the stream, be they the front of an element.
  bool unpack(const Buffer& data, const void* packed, Bytes arrived) const noexcept;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Element element_;
  bool empty_ = false;
};

}  // namespace heddle::mpi
