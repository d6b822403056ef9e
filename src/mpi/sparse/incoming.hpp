// mpi/sparse/incoming.hpp: what has come in an exchange, and its way into the program's hands. Includes outgoing.hpp.
//
//   Incoming in(receive_type, comm);
//   std::byte* room = in.keep(bytes);  ... receive ...  in.add(source, room, bytes);
//   return in.place(arrivals);                       // sorted by source, in the program's layout
//
// or, where sizes are known before the bytes: in.add(source, nullptr, bytes) for each, in.lay_out(arrivals), then for each
// message room(i) to receive into, and in.fill(arrivals).
#pragma once

#include <memory>
#include <vector>

#include "mpi/sparse/outgoing.hpp"

namespace heddle::mpi::sparse {

class Incoming {
 public:
  struct Message {
    int source;
    Bytes bytes;
    const std::byte* at;
  };

  Incoming(const Element& element, MPI_Comm comm) : element_(element), comm_(comm) {}

  /// Memory until the end of the exchange. Throws std::bad_alloc.
  std::byte* keep(Bytes bytes);
  /// A message whose packed bytes stay at `at`. Those of one source come in the order in which they were sent.
  void add(int source, const std::byte* at, Bytes bytes) { messages_.push_back({source, bytes, at}); }

  /// Sorts, tells the program who has sent how much, and makes room. Returns an error class; of MPI_ERR_TRUNCATE what fits is
  /// put in place all the same.
  int lay_out(heddle_arrivals& arrivals);
  /// Unpacks what does not lie in its place yet.
  int fill(heddle_arrivals& arrivals);
  int place(heddle_arrivals& arrivals);

  // After lay_out():
  [[nodiscard]] std::vector<Message>& messages() { return messages_; }
  /// Where message i is to lie in the end if that can be received into; null: keep() it.
  [[nodiscard]] std::byte* place_of(const heddle_arrivals& arrivals, std::size_t i) const;

 private:
  [[nodiscard]] bool fits(const heddle_arrivals& arrivals, std::size_t i) const;
  [[nodiscard]] void* address(const heddle_arrivals& arrivals, std::size_t i) const;

  const Element& element_;
  MPI_Comm comm_;
  bool laid_out_ = false;
  std::vector<std::unique_ptr<std::byte[]>> kept_;
  std::vector<Message> messages_;
};

}  // namespace heddle::mpi::sparse
