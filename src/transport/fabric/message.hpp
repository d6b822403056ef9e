// transport/fabric/message.hpp: the common part of outgoing and incoming messages: a number, a
// peer, operations under way, and an end.
//
//   while (message.progress() == State::working) ...         // never waits
//   if (message.state() == State::failed) say(words(message.failure()));
//
// How a failure ends a message: the side that fails tells the other (abandon). The other side ends
// its operations and says so (stopped). Only then, or when the peer is known to be gone, the first
// side is `failed`, and nothing reads or writes its memory any more. A caller must drive a message
// to `done` or `failed` before it destroys it.
#pragma once

#include <cstdint>

#include "transport/fabric/control_messages.hpp"

namespace heddle::transport::fabric {

class Fabric;

enum class State : std::uint8_t { working, done, failed };

class Message {
 public:
  explicit Message(Fabric& fabric);
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  virtual ~Message();

  /// Advances this message and the fabric as far as possible now.
  State progress();
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] Failure failure() const noexcept { return failure_; }
  /// Ends a message that the caller does not want any more, or that cannot go on.
  void abandon(Failure failure = Failure::refused) { fail(failure); }

 protected:
  friend class Fabric;

  /// Does a part of the work that is possible now. It is a part only, so that other messages get
  /// their turn.
  virtual void step() = 0;
  virtual void heard(const Control& control) = 0;
  virtual void notified(std::uint32_t segment) { static_cast<void>(segment); }
  /// An operation with this tag has succeeded.
  virtual void completed(std::uint64_t tag) = 0;
  /// Called once, when no operation is under way any more. `peer_gone`: the peer died, and has not
  /// said that its operations have ended.
  virtual void clean(bool peer_gone) noexcept = 0;

  void fail(Failure failure);
  void finish();
  /// Sends a control message about this message to the peer.
  void tell(Control control);
  /// False: post again later, or the message has failed now.
  bool post(Post what, std::uint64_t tag);

  Fabric& fabric_;
  std::uint32_t id_ = 0;
  std::uint32_t peer_ = 0;
  std::uint32_t theirs_ = 0;  ///< The message's number at the peer,
  bool met_ = false;          ///< known once both sides know of each other.
  bool exposed_ = false;      ///< The peer knows addresses of our memory.
  int under_way_ = 0;         ///< Operations.

 private:
  void end_if_still();
  void take(const Control& control);
  void ended(std::uint64_t tag, int error);
  void lost_peer();

  State state_ = State::working;
  Failure failure_ = Failure::none;
  bool we_owe_stop_ = false;    // the peer waits for our `stopped`
  bool they_owe_stop_ = false;  // we wait for the peer's `stopped`
  bool delivered_ = false;      // the peer has the whole message, though we have failed
  bool gone_ = false;           // the peer is gone
  std::int64_t stuck_ = 0;      // time since which it has failed with operations under way
};

}  // namespace heddle::transport::fabric
