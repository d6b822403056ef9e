// mpi/sparse/outgoing.hpp: what a rank sends in an exchange, and how its bytes are got at. Includes exchange.h, registry.hpp.
//
//   Outgoing out;
//   if (const int wrong = out.read(departures, ranks)) return wrong;
//   for (const Outgoing::Message& one : out.messages())
//     one.dense ? send(one.dense, one.bytes) : (out.pack(one, room), send(room, one.bytes));
#pragma once

#define HEDDLE_INTERPOSER 1

#include <vector>

#include "mpi/face.hpp"
#include "mpi/types/registry.hpp"

#pragma GCC visibility push(default)
#include "heddle/exchange.h"
#pragma GCC visibility pop

namespace heddle::mpi::sparse {

/// A datatype at either end.
class Element {
 public:
  /// MPI_SUCCESS or an error code.
  int look(MPI_Datatype type) noexcept;
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] const heddle_element& shape() const { return shape_; }
  /// Where the packed bytes of `count` elements lie in memory already; null: nowhere.
  [[nodiscard]] std::byte* dense(const void* address, Count count) const noexcept;
  // Errors of the host's: MPI_SUCCESS where Heddle knows the type.
  int pack(const void* address, Count count, std::byte* to, MPI_Comm comm) const;
  int unpack(const std::byte* from, void* address, Count count, MPI_Comm comm) const;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Derived derived_;
  heddle_element shape_{};
};

class Outgoing {
 public:
  struct Message {
    int to;
    Bytes bytes;
    const void* address;
    Count count;
    std::size_t element;
    const std::byte* dense;  ///< The bytes that travel, if they lie in memory in order; else they are to be packed.
  };

  /// The program's arguments: MPI_SUCCESS, or what is wrong with them. Throws std::bad_alloc.
  int read(const heddle_departures& departures, int ranks);
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  int pack(const Message& message, std::byte* to, MPI_Comm comm) const {
    return elements_[message.element].pack(message.address, message.count, to, comm);
  }

 private:
  std::vector<Element> elements_;
  std::vector<Message> messages_;
};

}  // namespace heddle::mpi::sparse
