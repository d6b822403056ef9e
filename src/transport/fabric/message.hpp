// transport/fabric/message.hpp: what a message on its way out and one on its way in have in common:
// a number, a peer, operations under way, and an end.
//
//   while (message.progress() == State::working) ...         // never waits
//   if (message.state() == State::failed) say(words(message.failure()));
//
// How it ends. Once anything has failed on one side, it tells the other (abandon); the other ends what it has under way and
// says so (stopped). Only then, or when the other is known to be gone, the first one is `failed`: nobody reads or writes its
// memory any more. A message must be driven to `done` or `failed` before it is destroyed.
#pragma once

#include <cstdint>

#include "transport/fabric/control.hpp"

namespace heddle::transport::fabric {

class Fabric;

enum class State : std::uint8_t { working, done, failed };

class Message {
 public:
  explicit Message(Fabric& fabric);
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  virtual ~Message();

  /// Moves what can be moved now, of this message and of the fabric.
  State progress();
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] Failure failure() const noexcept { return failure_; }
  /// It is not wanted any more, or cannot go on.
  void abandon(Failure failure = Failure::refused) { fail(failure); }

 protected:
  friend class Fabric;

  /// Whatever can be done now; a part of what there is to do, so that others come to their turn.
  virtual void step() = 0;
  virtual void heard(const Control& control) = 0;
  virtual void notified(std::uint32_t segment) { static_cast<void>(segment); }
  /// An operation with this tag has ended well.
  virtual void completed(std::uint64_t tag) = 0;
  /// Nothing is under way any more. Called once. `peer_gone`: it did not say so itself.
  virtual void clean(bool peer_gone) noexcept = 0;

  void fail(Failure failure);
  void finish();
  /// Of this message, to the same message at the peer.
  void tell(Control control);
  /// False: again later, or it has failed now.
  bool post(Post what, std::uint64_t tag);

  Fabric& fabric_;
  std::uint32_t id_ = 0;
  std::uint32_t peer_ = 0;
  std::uint32_t theirs_ = 0;  ///< Its number there,
  bool met_ = false;          ///< if they know of each other.
  bool exposed_ = false;      ///< It has been told of memory of ours.
  int under_way_ = 0;         ///< Operations.

 private:
  void end_if_still();
  void take(const Control& control);
  void ended(std::uint64_t tag, int error);
  void lost_peer();

  State state_ = State::working;
  Failure failure_ = Failure::none;
  bool we_owe_stop_ = false;    // it waits for us to say that we have stopped,
  bool they_owe_stop_ = false;  // or we for it
  bool delivered_ = false;      // it has all of it, though we have failed
  bool gone_ = false;           // the peer
  std::int64_t stuck_ = 0;      // since when it has failed, with operations under way
};

}  // namespace heddle::transport::fabric
