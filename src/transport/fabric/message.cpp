// transport/fabric/message.cpp: the end of a message: done, failed, or its peer is lost.
#include "transport/fabric/message.hpp"

#include "transport/fabric/fabric.hpp"

namespace heddle::transport::fabric {

Message::Message(Fabric& fabric) : fabric_(fabric) {
  if (fabric_.enter(*this)) return;
  failure_ = Failure::memory;
  state_ = State::failed;
}

Message::~Message() {
  if (state_ != State::working) return;
  fabric_.disown(*this);
  fabric_.leave(*this, false);
}

State Message::progress() {
  fabric_.progress();
  if (state_ == State::working && failure_ == Failure::none) step();
  return state_;
}

void Message::tell(Control control) {
  control.to = theirs_;
  control.from = id_;
  control.who = fabric_.identity();
  fabric_.tell(peer_, control);
}

bool Message::post(Post what, std::uint64_t tag) {
  switch (fabric_.post(*this, what, tag)) {
    case Posted::yes:
      ++under_way_;
      return true;
    case Posted::full:
      return false;
    case Posted::broken:
      fail(Failure::completion);
      return false;
  }
  return false;
}

void Message::fail(Failure failure) {
  if (failure_ != Failure::none || state_ != State::working) return;
  failure_ = failure;
  if (met_ && !gone_) {
    tell({.kind = Kind::abandon, .failure = failure});
    we_owe_stop_ = true;
    they_owe_stop_ = exposed_;
  }
  end_if_still();
}

void Message::finish() {
  if (failure_ != Failure::none || state_ != State::working) return;
  state_ = State::done;
  clean(false);
  fabric_.leave(*this, true);
}

void Message::end_if_still() {
  if (state_ != State::working || failure_ == Failure::none || under_way_ > 0) return;
  if (we_owe_stop_ && !gone_) tell({.kind = Kind::stopped, .segment = they_owe_stop_ ? 1 : 0});
  we_owe_stop_ = false;
  if (they_owe_stop_ && !gone_) return;
  state_ = delivered_ ? State::done : State::failed;
  clean(gone_);
  fabric_.leave(*this, false);
}

void Message::take(const Control& control) {
  if (state_ != State::working) return;
  if (met_) fabric_.heard_from(peer_);
  if (control.kind == Kind::abandon) {
    if (failure_ == Failure::none) {
      failure_ = control.failure == Failure::none ? Failure::refused : control.failure;
      we_owe_stop_ = true;
      they_owe_stop_ = exposed_;
    }
    // This is the peer's first word: it gives us the message's number there.
    if (!met_) {
      theirs_ = control.from;
      we_owe_stop_ = they_owe_stop_ = false;
    }
    end_if_still();
  } else if (control.kind == Kind::stopped) {
    if (failure_ == Failure::none) fail(Failure::damaged);  // this side had not failed
    they_owe_stop_ = false;                                 // `stopped` comes once
    delivered_ = delivered_ || control.in_place;
    end_if_still();
  } else if (failure_ == Failure::none) {
    heard(control);
  }
}

void Message::ended(std::uint64_t tag, int error) {
  --under_way_;
  if (error != 0)
    fail(Failure::completion);
  else if (failure_ == Failure::none)
    completed(tag);
  end_if_still();
}

void Message::lost_peer() {
  if (state_ != State::working) return;
  gone_ = true;
  if (failure_ == Failure::none) failure_ = Failure::peer;
  if (fabric_.abilities().node_local) {  // a dead process reads, writes and completes nothing
    fabric_.disown(*this);
    under_way_ = 0;
  }
  end_if_still();
}

}  // namespace heddle::transport::fabric
