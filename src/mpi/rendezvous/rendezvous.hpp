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

/// Of predefined types, bytes: a complex of two long doubles.
constexpr Bytes largest_element = 32;

/// Whether `count` elements of a type may be announced at all: large, and with holes, or in one piece to a node where somebody
/// scatters it.
inline bool may_be_announced(const Entry& entry, Count count) noexcept {
  const Node* node = Node::here();
  Bytes bytes = 0;
  return node && count > 0 && !__builtin_mul_overflow(count, entry.size(), &bytes) && bytes >= node->threshold() &&
         (node->wishes().any() || !entry.contiguous(count));
}

/// The same of a handle; predefined types may be, as far as can be said in a few ns.
inline bool may_be_announced(MPI_Datatype type, Count count) noexcept {
  const Node* node = Node::here();
  if (!node || count <= 0) return false;
  if (Entry* entry = table.find(type)) return entry->ready(type) && may_be_announced(*entry, count);
  return node->wishes().any() && count >= node->threshold() / largest_element;
}

/// A message on its way. Make it, send the descriptor, settle it.
class Announced {
 public:
  /// False afterwards: the receiver is elsewhere, there is no room, or it is not for Heddle.
  /// @param blocking  The caller settles it in the same call. Otherwise it may be left open() for the receiver.
  Announced(const Buffer& data, Derived type, int dest, MPI_Comm comm, bool blocking) noexcept;
  /// Leaves what is settled to its receiver, withdraws what is not.
  ~Announced();
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

  explicit operator bool() const { return message_ != nullptr; }
  [[nodiscard]] const engine::Descriptor& descriptor() const { return descriptor_; }
  /// The receiver can fetch all of it by itself: to be settled when the program completes the send.
  [[nodiscard]] bool open() const { return descriptor_.pullable && !settled_; }
  /// The descriptor is out. Afterwards the message does not need the program's buffer.
  void settle() noexcept;
  /// The host has cancelled the descriptor.
  void cancelled() noexcept { settled_ = false; }

 private:
  Told told_{"send"};
  Derived type_;
  engine::Descriptor descriptor_;
  engine::Outgoing* message_ = nullptr;
  bool settled_ = false;
};

/// The shortest receive that could hold a descriptor. Bytes.
constexpr Bytes descriptor_bytes = sizeof(engine::Descriptor);

/// Whether a receive must not be handed to the host as it is, because it may bring a descriptor: that would end within an
/// element, which hosts refuse. Anything but predefined types; of these, pairs, whose 12 bytes or so do not divide 128.
inline bool must_not_split(MPI_Datatype type) noexcept { return Node::here() && (known(type) || pair(type)); }

/// A receive into the program's own buffer is complete, with `result`. If it brought a descriptor: brings the message. Returns
/// the receive's result, and corrects the status, which may be MPI_STATUS_IGNORE. An error that the host does not know of is
/// the caller's to raise: raise_new().
int landed(int result, const Buffer& data, MPI_Status* status) noexcept;

/// The same where the receive went into a stand-in, of which these are the first bytes. Nothing: it was no descriptor.
Done landed_in(const void* stand_in, Bytes room, const Buffer& data, const layout::Layout& layout, MPI_Status* status) noexcept;

/// Raises an error that the host has not returned, and so not raised.
int raise_new(int result, int host_result, MPI_Comm comm) noexcept;

}  // namespace heddle::mpi
