// mpi/types/element.hpp: a datatype at one end of a message that travels packed: packed by Heddle if it knows the type, by
// the host if not. Includes arguments.hpp, registry.hpp.
//
//   Element element;
//   if (const int error = element.look(type)) return error;
//   element.pack(buffer, count, room, comm);                  // count * element.measures().size bytes
//
// Opaque: one that Heddle cannot decode, kept while a receive is under way. Of no use for speed: a message that Heddle must
// see, since it may be a descriptor, is received packed, and put in place by the host's own reading of the type.
//
//   Opaque type(datatype);
//   PMPI_Recv(packed, count * type.size(), MPI_BYTE, ...);
//   type.unpack({buffer, count, datatype}, packed, arrived);
#pragma once

#include <utility>

#include "mpi/process/host.hpp"
#include "mpi/types/arguments.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class Element {
 public:
  /// Bytes of one; as MPI_Type_size_x, MPI_Type_get_extent and MPI_Type_get_true_extent have them.
  struct Measures {
    Bytes size = 0, extent = 0, first = 0, span = 0;
  };

  /// MPI_SUCCESS or an error code. Costs nothing for the type that it is of already.
  int look(MPI_Datatype type) noexcept;
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] const Measures& measures() const { return measures_; }
  /// Where the packed bytes of `count` elements lie in memory already; null: nowhere.
  [[nodiscard]] std::byte* dense(const void* address, Count count) const noexcept;
  // Errors of the host's: MPI_SUCCESS where Heddle knows the type.
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
  /// The duplicate.
  [[nodiscard]] MPI_Datatype type() const { return type_; }
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
