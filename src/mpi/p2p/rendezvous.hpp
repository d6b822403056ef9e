// mpi/p2p/rendezvous.hpp: messages within the node whose descriptor travels in their place (docs/protocol.md). Includes
// route.hpp, reporting.hpp, types/, select/choose.hpp.
//
//   sender      RendezvousSend message(data, type, to, ends, probes);      receiver     PMPI_Recv(data) ...
//               if (message) { PMPI_Send(message.descriptor()) ...                      result = complete_receive(...)
//                 message.settle(); }                                      the descriptor has become the message, and the
//                                                                          status tells its size
#pragma once

#include <memory>
#include <string>

#include "mpi/p2p/route.hpp"
#include "mpi/types/registry.hpp"
#include "report/reporting.hpp"
#include "select/choose.hpp"

namespace heddle::mpi {

/// When a send is over.
enum class Ends {
  in_call,         ///< In the call that begins it.
  beside_receive,  ///< Likewise, and the call receives, as its receiver sends.
  in_collective,   ///< In a call that completes it after all the receives that it has begun.
  with_request,    ///< When the program completes it: the message may be left open() to its receiver until then.
};

/// Whether a probe of the program may come across a descriptor: not on communicators of Heddle's own.
enum class Probes { possible, none };

/// A message on its way. Make it, send the descriptor, settle it.
class RendezvousSend {
 public:
  /// False afterwards: the receiver is elsewhere, there is no room, or it is not for Heddle.
  RendezvousSend(const Buffer& data, Derived type, const Envelope& to, Ends ends, Probes probes);
  /// Leaves what is settled to its receiver, withdraws what is not.
  ~RendezvousSend();
  RendezvousSend(const RendezvousSend&) = delete;
  RendezvousSend& operator=(const RendezvousSend&) = delete;

  explicit operator bool() const { return message_ != nullptr; }
  /// What is sent in its place: so many bytes from there on.
  [[nodiscard]] const void* descriptor() const { return &descriptor_; }
  [[nodiscard]] int length() const { return static_cast<int>(descriptor_.length); }
  /// What names it to its receiver: the rank of the node, and its control block.
  [[nodiscard]] int peer() const { return peer_; }
  [[nodiscard]] const engine::Control* control() const { return message_->control; }
  [[nodiscard]] engine::Unclaimed::Suspect named() const {
    return {descriptor_.sender, descriptor_.control, descriptor_.generation};
  }
  /// The receiver can fetch all of it by itself: to be settled when the send ends.
  [[nodiscard]] bool open() const { return descriptor_.pullable && !settled_; }
  /// The descriptor is out. Afterwards the message does not need the program's buffer.
  void settle() noexcept;
  /// The host has cancelled the descriptor.
  void cancelled() noexcept { settled_ = false; }

 private:
  /// What a report is told of the choice.
  struct Reason {
    select::Facts facts;
    select::Choice choice;
    bool forced;
    [[nodiscard]] std::string text() const;
  };

  report::ReportedCall reported_{"send"};
  std::unique_ptr<const Reason> reason_;  // null without a report
  Derived type_;
  engine::Descriptor descriptor_;
  std::byte padding_[engine::Lengths::longest - sizeof(engine::Descriptor)];  // as much of it as is sent is set
  engine::Outgoing* message_ = nullptr;
  int peer_ = -1;
  bool settled_ = false;
};

/// Whether what begins there begins like a descriptor.
inline bool begins_like_descriptor(const void* first) noexcept {
  const Node* node = Node::here();
  return (node && engine::is_descriptor(first, node->nonce())) || begins_like_network_descriptor(first);
}

// A receive is over, with `result` and a status (never MPI_STATUS_IGNORE). If it brought a descriptor: brings the message.
// Return the receive's result, and correct the status. An error that the host does not know of is the caller's to raise:
// raise_new().

/// Into the program's own buffer, of elements of `type`.
int complete_receive(int result, const Buffer& data, const Derived& type, MPI_Status* status) noexcept;
/// The same by the handle, which the program has still.
int complete_by_handle(int result, const Buffer& data, MPI_Status* status) noexcept;
inline int complete_receive(int result, const Buffer& data, MPI_Status* status) noexcept {
  // Almost always it is what it seems: predefined types have no holes, so their first bytes are where the buffer begins.
  if (!descriptors_come() || (result == MPI_SUCCESS &&
                              (data.count < descriptor_bytes / largest_element ||
                               (data.count < descriptor_bytes && data.count * predefined(data.type).size < descriptor_bytes) ||
                               !begins_like_descriptor(data.address))))
    return result;
  return complete_by_handle(result, data, status);
}

/// Into a staging buffer, of which these are the first bytes. Nothing: it was no descriptor.
Done complete_staged(void* staged, Bytes room, const Buffer& data, const layout::Layout& layout, MPI_Status* status) noexcept;
/// A receive has failed; if by truncation, of a descriptor: the message is received as far as it fits, or at least drained
/// (docs/protocol.md, rule 7). These are the first bytes that have arrived. True: the message is received, and the status is
/// right.
bool complete_truncated(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
                        MPI_Status* status) noexcept;

}  // namespace heddle::mpi
