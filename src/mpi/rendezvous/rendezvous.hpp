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
#include "mpi/types/predefined.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

/// Whether `count` elements of a type may be announced at all: large, and with holes, or in one piece that Heddle may move
/// faster, or that somebody on the node scatters.
inline bool may_be_announced(const Entry& entry, Count count) noexcept {
  const Node* node = Node::here();
  Bytes bytes = 0;
  return node && count > 0 && !__builtin_mul_overflow(count, entry.size(), &bytes) && bytes >= node->threshold() &&
         (node->wishes().any() || node->moves_pieces(bytes) || !entry.contiguous(count));
}

/// The same of a predefined type.
inline bool piece_may_be_announced(const Node& node, MPI_Datatype type, Count count) noexcept {
  if (node.wishes().any()) return count >= node.threshold() / largest_element;
  return count >= Node::least_piece / largest_element && count <= Node::most_piece &&
         node.moves_pieces(count * predefined(type).size);
}

/// The same of a handle; predefined types may be, as far as can be said in a few ns.
inline bool may_be_announced(MPI_Datatype type, Count count) noexcept {
  const Node* node = Node::here();
  if (!node || count <= 0) return false;
  if (Entry* entry = table.find(type)) return entry->ready(type) && may_be_announced(*entry, count);
  return piece_may_be_announced(*node, type, count);
}

/// What the caller of a send does when the descriptor is out.
enum class Sender {
  waits,      ///< Settles it in the same call.
  exchanges,  ///< Likewise, and receives in it, as its receiver sends.
  goes_on,    ///< Settles it in a later call: it may be left open() for the receiver.
};

/// In the place of a tag: on a communicator of Heddle's own no probe comes across the announcement.
constexpr int never_probed = -1;

/// A message on its way. Make it, send the descriptor, settle it.
class Announced {
 public:
  /// False afterwards: the receiver is elsewhere, there is no room, or it is not for Heddle.
  Announced(const Buffer& data, Derived type, int dest, int tag, MPI_Comm comm, Sender sender);
  /// Leaves what is settled to its receiver, withdraws what is not.
  ~Announced();
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

  explicit operator bool() const { return message_ != nullptr; }
  /// What is sent in its place: so many bytes from there on.
  [[nodiscard]] const void* announcement() const { return &descriptor_; }
  [[nodiscard]] int length() const { return static_cast<int>(descriptor_.length); }
  /// What names it to its receiver: the rank of the node, and its control block.
  [[nodiscard]] int peer() const { return peer_; }
  [[nodiscard]] const engine::Control* control() const { return message_->control; }
  [[nodiscard]] engine::Unclaimed::Suspect named() const {
    return {descriptor_.sender, descriptor_.control, descriptor_.generation};
  }
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
  std::byte padding_[engine::Lengths::longest - sizeof(engine::Descriptor)];  // as much of it as is sent is set
  engine::Outgoing* message_ = nullptr;
  int peer_ = -1;
  bool settled_ = false;
};

/// The shortest receive that could hold a descriptor. Bytes.
constexpr Bytes descriptor_bytes = sizeof(engine::Descriptor);

/// Whether a receive must not be handed to the host as it is, because it may bring a descriptor: that would end within an
/// element, which hosts refuse. Anything but predefined types; of these, pairs, whose 12 bytes or so do not divide 128.
inline bool must_not_split(MPI_Datatype type) { return Node::here() && (known(type) || predefined(type).pair); }

/// Whether a receive of a derived type can go to the host as it is all the same: a descriptor ends with one of its numbers, and
/// the host unpacks as well as Heddle does.
inline bool takes_descriptor(MPI_Datatype type, Count count) noexcept {
  Entry* entry = table.find(type);
  if (!entry || !entry->ready(type) || entry->pays_to_pack(count)) return false;
  const Wire& wire = entry->wire();
  return wire.element != MPI_BYTE && largest_element % wire.extent == 0;
}

/// Whether a receive goes through a stand-in: packed, or because it must not be split. One look at each table.
inline bool goes_through_stand_in(MPI_Datatype type, Count count) {
  if (Entry* entry = table.find(type)) return Node::here() || (entry->ready(type) && entry->pays_to_pack(count));
  return count >= descriptor_bytes / largest_element && Node::here() && predefined(type).pair;
}

/// Whether a receive of a predefined type has room for a descriptor, so that it must be looked at when it is complete. Other
/// types may go through a stand-in (must_not_split).
inline bool has_room(Count count, MPI_Datatype type) {
  return Node::here() && count >= descriptor_bytes / largest_element &&
         (count >= descriptor_bytes || count * predefined(type).size >= descriptor_bytes);
}
inline bool must_look(Count count, MPI_Datatype type) { return has_room(count, type) && !known(type); }
/// The same of any type that has not gone through a stand-in.
inline bool may_land(Count count, MPI_Datatype type) { return known(type) ? Node::here() != nullptr : has_room(count, type); }

/// Whether what begins there begins like a descriptor.
inline bool announces(const void* first) noexcept {
  const Node* node = Node::here();
  return node && engine::announced(first, node->nonce());
}

/// The program sends `count` elements itself, or packed. Such a length may be that of announcements (engine/lengths.hpp): then
/// probes must be told. A few ns, before every send.
inline void will_send(Count count, MPI_Datatype type, int tag) {
  Node* node = Node::here();
  if (!node || count <= 0 || count > engine::Lengths::longest) return;
  Entry* entry = table.find(type);
  if (!entry && count < engine::Lengths::shortest / largest_element) return;
  node->outbox().sends_plainly(count * (entry && entry->ready(type) ? entry->size() : predefined(type).size), tag);
}

/// What landed() does if the first bytes are those of a descriptor, or not where the buffer begins.
int look_closer(int result, const Buffer& data, MPI_Status* status) noexcept;

/// A receive has failed; if by truncation, of an announcement: the message is received as far as it fits, or at least drained
/// (docs/protocol.md, rule 7). These are the first bytes that have arrived. True: the message is received, and the status is
/// right.
bool cut_short(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
               MPI_Status* status) noexcept;
/// The same of a receive into the program's own buffer. Returns the receive's result.
int cut_short(int result, const Buffer& data, MPI_Status* status) noexcept;

/// A receive into the program's own buffer is complete, with `result` and a status (never MPI_STATUS_IGNORE). If it brought a
/// descriptor: brings the message. Returns the receive's result, and corrects the status. An error that the host does not know
/// of is the caller's to raise: raise_new().
inline int landed(int result, const Buffer& data, MPI_Status* status) noexcept {
  // Almost always it is what it seems: predefined types have no holes, so their first bytes are where the buffer begins.
  const Node* node = Node::here();
  if (!node) return result;
  if (result != MPI_SUCCESS) return cut_short(result, data, status);
  if (data.count < descriptor_bytes / largest_element) return result;
  if (!known(data.type) && (!has_room(data.count, data.type) || !engine::announced(data.address, node->nonce()))) return result;
  return look_closer(result, data, status);
}

/// The same where the receive went into a stand-in, of which these are the first bytes. Nothing: it was no descriptor.
Done landed_in(void* stand_in, Bytes room, const Buffer& data, const layout::Layout& layout, MPI_Status* status) noexcept;

}  // namespace heddle::mpi
