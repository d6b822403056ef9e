// transport/fabric/events.cpp: hands the provider's events to their messages.
#include <algorithm>

#include "transport/fabric/fabric.hpp"

namespace heddle::transport::fabric {

bool Fabric::post_receives() {
  for (std::size_t i = 0; i < receives + sends; ++i) {
    Slot slot;
    if (!letters_.take(slot)) return false;
    if (i < receives) {
      Work* const receive = work();
      receive->kind = Work::receive;
      receive->slot = slot;
      receive_again(*receive);
    } else {
      letter_slots_.push_back(slot);
    }
  }
  return true;
}

void Fabric::receive_again(Work& receive) {
  const iovec place{receive.slot.at, letter_bytes};
  void* const descriptor = receive.slot.region->descriptor;
  if (endpoint_->post({.kind = Post::receive, .local = {&place, 1}, .descriptors = {&descriptor, 1}}, receive) != Posted::yes)
    not_posted_.push_back(&receive);
}

void Fabric::happened(const Event& event) {
  if (event.kind == Event::notified) {
    const auto data = static_cast<std::uint32_t>(event.data);
    Message* const message = messages_[(data >> 16) % most_messages];
    if (message && (message->id_ & 0xffffU) == data >> 16 && message->met_ && message->state_ == State::working) {
      heard_from(message->peer_);
      if (message->failure_ == Failure::none) message->notified(data & 0xffffU);
    }
    return;
  }
  auto* const work = static_cast<Work*>(event.operation);
  if (!work) return;  // an operation of the provider's own
  switch (work->kind) {
    case Work::receive: {
      Control control;
      const std::span<const std::byte> arrived(work->slot.at,
                                               event.error == 0 ? std::min<std::size_t>(event.length, letter_bytes) : 0);
      const bool sound = read(arrived, options_.nonce, control);
      receive_again(*work);
      if (sound)
        deliver(control);
      else if (event.error == 0)
        ++damaged_;
      return;
    }
    case Work::control: {
      const std::uint32_t peer = work->peer;
      letter_slots_.push_back(work->slot);
      give(work);
      if (event.error != 0) lose(peer);
      return;
    }
    case Work::of_message: {
      Message* const owner = work->owner;
      const std::uint64_t tag = work->tag;
      const std::uint32_t peer = work->peer;
      give(work);
      if (!owner) return;
      peers_[peer].heard = event.error == 0 ? now_ : 0;  // after an error, patrol() asks it at once
      owner->ended(tag, event.error);
      return;
    }
    case Work::idle:
      return;
  }
}

void Fabric::deliver(const Control& control) {
  std::uint32_t peer = 0;
  switch (control.kind) {
    case Kind::ping:
      return;
    case Kind::hello:
      if (meet(std::span(control.address).first(control.address_bytes), control.who, peer))
        tell(peer, {.kind = Kind::welcome, .who = identity_});
      return;
    case Kind::welcome:
      for (Peer& each : peers_) each.welcomed = each.welcomed || (!each.gone && each.who == control.who);
      return;
    default:
      break;
  }
  if (Message* const message = find(control.to)) {
    message->take(control);
    return;
  }
  // The message has ended here, perhaps before the answer came. The peer still needs our `stopped`.
  if (control.kind == Kind::reply && !meet(std::span(control.address).first(control.address_bytes), control.who, peer)) return;
  while (peer < peers_.size() && peers_[peer].who != control.who) ++peer;
  if (peer == peers_.size()) return;
  Control answer{.to = control.from, .from = control.to, .who = identity_};
  if (control.kind == Kind::reply) {
    answer.kind = Kind::abandon;
    answer.failure = Failure::refused;
    tell(peer, answer);
  }
  if (control.kind == Kind::reply || control.kind == Kind::abandon || (control.kind == Kind::stopped && control.segment == 1)) {
    answer.kind = Kind::stopped;
    answer.in_place = std::ranges::find(delivered_, control.to) != delivered_.end();
    tell(peer, answer);
  }
}

}  // namespace heddle::transport::fabric
