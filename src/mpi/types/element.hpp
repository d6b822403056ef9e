// mpi/types/element.hpp: a datatype at one end of a message that travels packed: packed by Heddle if it knows the type, by
// the host if not. Includes types/registry.hpp.
//
//   Element element;
//   if (const int error = element.look(type)) return error;
//   element.pack(buffer, count, room, comm);                  // count * element.measures().size bytes
#pragma once

#include "mpi/process/host.hpp"
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

}  // namespace heddle::mpi
