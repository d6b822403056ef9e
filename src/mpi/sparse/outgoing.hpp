// mpi/sparse/outgoing.hpp: what a rank sends in an exchange, and how its bytes are got at. Includes exchange.h,
// types/element.hpp.
//
//   Outgoing out;
//   if (const int wrong = out.read(departures, ranks)) return wrong;
//   for (const Outgoing::Message& one : out.messages())
//     one.dense ? send(one.dense, one.bytes) : (out.pack(one, room), send(room, one.bytes));
#pragma once

#define HEDDLE_INTERPOSER 1

#include <vector>

#include "mpi/types/arguments.hpp"
#include "mpi/types/element.hpp"

#pragma GCC visibility push(default)
#include "heddle/exchange.h"
#pragma GCC visibility pop

namespace heddle::mpi::sparse {

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
