// mpi/rendezvous/rendezvous.hpp: large noncontiguous messages within the node, announced in band (docs/protocol.md).
// Includes node.hpp.
//
//   sender      Announced message(data, dest, comm);             receiver     PMPI_Recv(data) ...
//               if (message) { PMPI_Send(descriptor) ...                      if (landed(...)) the descriptor has become the
//                 message.settle(); }                                           message, and the status tells its size
#pragma once

#include "mpi/face.hpp"
#include "mpi/node/node.hpp"
#include "mpi/reporting.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

/// Whether a send may be announced at all: derived, with holes, large. A few ns for everything else.
inline bool may_be_announced(MPI_Datatype type, Count count) noexcept {
  const Node* node = Node::here();
  if (!node) return false;
  Entry* entry = table.find(type);
  if (!entry || !entry->ready(type) || count <= 0 || entry->contiguous(count)) return false;
  Bytes bytes = 0;
  return !__builtin_mul_overflow(count, entry->size(), &bytes) && bytes >= node->threshold();
}

/// A message on its way. Make it, send the descriptor, settle it.
class Announced {
 public:
  /// False afterwards: the receiver is elsewhere, or there is no room.
  /// @param blocking  The caller settles it in the same call.
  Announced(const Buffer& data, int dest, MPI_Comm comm, bool blocking = true) noexcept;
  ~Announced();
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

  explicit operator bool() const { return message_ != nullptr; }
  [[nodiscard]] const engine::Descriptor& descriptor() const { return descriptor_; }
  /// The descriptor is out. Afterwards the message needs neither the program's buffer nor this object.
  void settle() noexcept;

 private:
  Told told_{"send"};
  Derived type_;
  engine::Descriptor descriptor_;
  engine::Outgoing* message_ = nullptr;
};

/// The shortest receive that could hold a descriptor. Bytes.
constexpr Bytes descriptor_bytes = sizeof(engine::Descriptor);

/// Whether a receive must not be handed to the host as it is, because it may bring a descriptor: that would end within an
/// element, which hosts refuse. Anything but predefined types; of these, pairs, whose 12 bytes or so do not divide 128.
inline bool must_not_split(MPI_Datatype type) noexcept { return Node::here() && (known(type) || pair(type)); }

/// A receive into the program's own buffer is complete, with `result`. If it brought a descriptor: brings the message. Returns
/// the receive's result, and corrects the status, which may be MPI_STATUS_IGNORE.
int landed(int result, const Buffer& data, MPI_Comm comm, MPI_Status* status) noexcept;

/// The same where the receive went into a stand-in, of which these are the first bytes. Nothing: it was no descriptor.
Done landed_in(const void* stand_in, Bytes room, const Buffer& data, const layout::Layout& layout, MPI_Comm comm,
               MPI_Status* status) noexcept;

}  // namespace heddle::mpi
