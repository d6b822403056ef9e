// mpi/types/element.hpp: packs and unpacks elements of any datatype: by Heddle if it knows the
// type, by the host if not.
//
//   Element element;
//   if (const int error = element.look(type)) return error;
//   element.pack(buffer, count, room, comm);                  // count * element.measures().size bytes
//
// Opaque is a type that Heddle cannot decode, kept while a receive is under way. It makes nothing
// faster. Heddle must see a message that may be a descriptor, so it receives the message packed,
// and the host unpacks it.
//
//   Opaque type(datatype);
//   PMPI_Recv(packed, count * type.size(), MPI_BYTE, ...);
//   type.unpack({buffer, count, datatype}, packed, arrived);
#pragma once

#include <utility>

#include "mpi/process/host.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

class Element {
 public:
  /// Bytes of one element, as MPI_Type_size_x, MPI_Type_get_extent and MPI_Type_get_true_extent
  /// return them.
  struct Measures {
    Bytes size = 0, extent = 0, first = 0, span = 0;
  };

  /// Takes `type` from here on. Returns MPI_SUCCESS or an error code. Costs nothing if it is the
  /// same type as before.
  int look(MPI_Datatype type) noexcept;
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] const Measures& measures() const { return measures_; }
  /// The place of `count` elements, if they lie in memory as their packed bytes. Null: they do not.
  [[nodiscard]] std::byte* dense(const void* address, Count count) const noexcept;
  // These return the host's errors. MPI_SUCCESS if Heddle knows the type.
  int pack(const void* address, Count count, std::byte* to, MPI_Comm comm) const noexcept;
  int unpack(const std::byte* from, void* address, Count count, MPI_Comm comm) const noexcept;

 private:
  int measure() noexcept;

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Derived derived_;
  Measures measures_;
};

class Opaque {
 public:
  Opaque() = default;
  /// Keeps a duplicate, since the program may free its handle while the receive is under way. The
  /// object is false if the host refuses.
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
  /// The duplicate.
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  /// The type has no bytes: nothing is received.
  [[nodiscard]] bool empty() const { return empty_; }
  /// Bytes of an element.
  [[nodiscard]] Bytes size() const { return element_.measures().size; }

  /// Packs all of `data` into `bytes` bytes at `packed`. False: the host refuses.
  bool pack(const Buffer& data, void* packed, Bytes bytes) const noexcept;
  /// Unpacks the first `arrived` bytes of the stream. They may end within an element.
  bool unpack(const Buffer& data, const void* packed, Bytes arrived) const noexcept;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Element element_;
  bool empty_ = false;
};

}  // namespace heddle::mpi
