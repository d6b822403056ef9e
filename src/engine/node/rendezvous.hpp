// engine/node/rendezvous.hpp: a message of the program to a rank of its node, whose descriptor
// travels instead of the data (docs/protocol.md). A Rendezvous chooses the way of the message, and
// follows it to its end.
//
//   Rendezvous message(node, {&type, count, buffer, peer, tag}, Ends::in_call, Probes::possible, wanted);
//   if (message) { PMPI_Send(message.descriptor(), message.length(), MPI_BYTE, ...);
//     message.settle(); }                                           // the program may have its buffer back
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/node/datatype.hpp"
#include "engine/node/node.hpp"
#include "report/reporting.hpp"
#include "select/choose_message.hpp"

namespace heddle::engine {

/// True: a message of `count` elements may be a rendezvous. It is long, and has holes, or is in one
/// piece that Heddle may move faster, or that a rank of the node scatters.
inline bool may_meet(const Node& node, const Datatype& type, Count count) noexcept {
  Bytes bytes = 0;
  return count > 0 && !__builtin_mul_overflow(count, type.size(), &bytes) && bytes >= node.threshold() &&
         (node.scatter_hints().any() || node.moves_pieces(bytes) || !type.contiguous(count));
}

/// When a send is over.
enum class Ends {
  in_call,         ///< In the call that begins it.
  beside_receive,  ///< In the call that begins it. The call also receives, and its receiver also sends.
  in_collective,   ///< In a call that completes it after all the receives that the call has begun.
  with_request,    ///< When the program completes it: the message may be left open() to its receiver until then.
};

/// Says whether a probe of the program may see a descriptor. On Heddle's own communicators there
/// are no such probes.
enum class Probes { possible, none };

/// A message on its way. Make it, send the descriptor, settle it.
class Rendezvous {
 public:
  /// The program's elements, and the rank of the node that gets them. Datatype and elements stay as
  /// long as the message.
  struct Elements {
    const Datatype* type;
    Count count;
    const void* address;
    int peer;
    int tag;
    std::uint64_t comm = 0;  ///< Any number that identifies its communicator.
  };
  struct Wanted {
    std::optional<select::Scheme> scheme = {};  ///< HEDDLE_SCHEME. None: Heddle chooses.
    Bytes segment = 0;                          ///< HEDDLE_SEGMENT. 0: Heddle chooses.
    select::Link host;                          ///< The time of a message of the MPI library.
  };

  /// The object is false if there is no room, or the MPI library is quicker.
  /// @param reported  The call that sends, with its time so far.
  Rendezvous(Node& node, const Elements& elements, Ends ends, Probes probes, const Wanted& wanted,
             const report::ReportedCall& reported = report::ReportedCall("send"));
  /// Leaves a settled message to its receiver. Withdraws any other.
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  explicit operator bool() const { return message_ != nullptr; }
  /// The bytes that are sent instead of the data, and their number.
  [[nodiscard]] const void* descriptor() const { return &descriptor_; }
  [[nodiscard]] int length() const { return static_cast<int>(descriptor_.length); }
  /// The receiver's rank in the node, the control block, and the name that a suspicion gives to the
  /// message (unclaimed.hpp).
  [[nodiscard]] int peer() const { return elements_.peer; }
  [[nodiscard]] const Control* control() const { return message_->control; }
  [[nodiscard]] Unclaimed::Suspect named() const { return {descriptor_.sender, descriptor_.control, descriptor_.generation}; }
  /// True: the receiver can fetch the whole message by itself. Settle it when the send ends.
  [[nodiscard]] bool open() const { return descriptor_.pullable && !settled_; }
  /// Called after the descriptor is sent. Afterwards the message does not need the program's
  /// buffer. False: as for Node::note_sent().
  bool settle() noexcept;

 private:
  /// The reason for the choice, for a report.
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
  std::byte padding_[Lengths::longest - sizeof(Descriptor)];  // only the part that is sent is set
  Outgoing* message_ = nullptr;
  bool settled_ = false;
};

}  // namespace heddle::engine
