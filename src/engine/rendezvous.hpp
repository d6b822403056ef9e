// engine/rendezvous.hpp: a message of the program to a rank of its node, whose descriptor travels
// in its place (docs/protocol.md): which way it takes, and how far it is.
//
//   Rendezvous message(node, {&type, count, buffer, peer, tag}, Ends::in_call, Probes::possible, wanted);
//   if (message) { PMPI_Send(message.descriptor(), message.length(), MPI_BYTE, ...);
//     message.settle(); }                                           // the program may have its buffer back
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/datatype.hpp"
#include "engine/node.hpp"
#include "report/reporting.hpp"
#include "select/choose.hpp"

namespace heddle::engine {

/// Whether a message of `count` elements may be a rendezvous at all: long, and with holes, or in one piece that Heddle may move
/// faster, or that somebody on the node scatters.
inline bool may_meet(const Node& node, const Datatype& type, Count count) noexcept {
  Bytes bytes = 0;
  return count > 0 && !__builtin_mul_overflow(count, type.size(), &bytes) && bytes >= node.threshold() &&
         (node.scatter_hints().any() || node.moves_pieces(bytes) || !type.contiguous(count));
}

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
class Rendezvous {
 public:
  /// What the program sends, to which rank of the node. The datatype and the elements are there as long as the message.
  struct Elements {
    const Datatype* type;
    Count count;
    const void* address;
    int peer;
    int tag;
    std::uint64_t comm = 0;  ///< Any number that its communicator has.
  };
  struct Wanted {
    std::optional<select::Scheme> scheme = {};  ///< None: as Heddle finds best (HEDDLE_SCHEME).
    Bytes segment = 0;                          ///< 0: likewise (HEDDLE_SEGMENT).
    select::Link host;                          ///< What a message of the MPI library takes.
  };

  /// False afterwards: there is no room, or the MPI library is quicker.
  /// @param reported  Of the call that sends; what it has taken so far.
  Rendezvous(Node& node, const Elements& elements, Ends ends, Probes probes, const Wanted& wanted,
             const report::ReportedCall& reported = report::ReportedCall("send"));
  /// Leaves what is settled to its receiver, withdraws what is not.
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  explicit operator bool() const { return message_ != nullptr; }
  /// What is sent in its place: so many bytes from there on.
  [[nodiscard]] const void* descriptor() const { return &descriptor_; }
  [[nodiscard]] int length() const { return static_cast<int>(descriptor_.length); }
  /// What names it to its receiver: the rank of the node, and its control block.
  [[nodiscard]] int peer() const { return elements_.peer; }
  [[nodiscard]] const Control* control() const { return message_->control; }
  [[nodiscard]] Unclaimed::Suspect named() const { return {descriptor_.sender, descriptor_.control, descriptor_.generation}; }
  /// The receiver can fetch all of it by itself: to be settled when the send ends.
  [[nodiscard]] bool open() const { return descriptor_.pullable && !settled_; }
  /// The descriptor is out. Afterwards the message does not need the program's buffer. False: as Node::note_sent().
  bool settle() noexcept;

 private:
  /// What a report is told of the choice.
  struct Reason {
    select::Facts facts;
    select::Choice choice;
    bool forced;
    [[nodiscard]] std::string text() const;
  };

  Node& node_;
  Elements elements_;
  report::ReportedCall reported_;
  std::unique_ptr<const Reason> reason_;  // null without a report
  Descriptor descriptor_;
  std::byte padding_[Lengths::longest - sizeof(Descriptor)];  // as much of it as is sent is set
  Outgoing* message_ = nullptr;
  bool settled_ = false;
};

}  // namespace heddle::engine
