// transport/fabric/incoming.cpp: answers an announcement, by granting segments or offering the
// elements themselves.
#include "transport/fabric/incoming.hpp"

#include <algorithm>

namespace heddle::transport::fabric {

Incoming::Incoming(Fabric& fabric, const Announcement& announcement, const Elements& target, const Acceptance& acceptance)
    : Message(fabric), announcement_(announcement), target_(target), kept_(acceptance.kept) {
  if (state() != State::working) return;
  Announcement checked;
  const std::span<const std::byte> arrived(reinterpret_cast<const std::byte*>(&announcement_), sizeof announcement_);
  if (!read(arrived, fabric_.options().nonce, checked) || announcement_.if_unpacks > FabricScheme::rwg_up ||
      announcement_.if_in_place < FabricScheme::p_rrs) {
    fail(Failure::damaged);
    return;
  }
  if (announcement_.provider != mark_of(fabric_.abilities().provider)) {
    fail(Failure::peer);
    return;
  }
  if (!fabric_.meet(std::span(announcement_.address).first(announcement_.address_bytes), announcement_.who, peer_)) {
    fail(Failure::peer);
    return;
  }
  theirs_ = announcement_.from;
  met_ = true;
  fabric_.attach(peer_);
  if (announcement_.total > layout::times(target.count, target.layout->size())) {
    fail(Failure::truncated);
    return;
  }
  Control reply{.kind = Kind::reply};
  // If the elements cannot be offered in place, the message is unpacked.
  if (!(acceptance.in_place && offer(reply)) && !grant(reply, acceptance)) {
    fail(Failure::memory);
    return;
  }
  reply.address_bytes = fabric_.address().size();
  std::ranges::copy(fabric_.address(), reply.address.begin());
  scheme_ = reply.in_place ? announcement_.if_in_place : announcement_.if_unpacks;
  exposed_ = true;
  tell(reply);
}

Incoming::~Incoming() {
  if (state() == State::working) clean(false);
}

bool Incoming::withdraw() {
  abandon();
  if (under_way_ > 0) return false;
  release(true);
  return true;
}

bool Incoming::hold_target(std::size_t most) {
  Registrations& registrations = fabric_.registrations();
  return (kept_ ? registrations.hold_again(target_, true, most, *kept_)
                : registrations.hold(target_, announcement_.total, true, most, held_)) == Failure::none;
}

bool Incoming::offer(Control& reply) {
  if (announcement_.if_in_place == FabricScheme::p_rrs) {
    // The receiver reads, so its memory is the local memory of the operations.
    if (fabric_.abilities().local_registration && !hold_target(256)) return false;
    receiving_ = receive_reads(*this);
    reply.in_place = true;
    return true;
  }
  listed_ = fabric_.listing().list(*target_.layout);
  if (!listed_) return false;
  if (!hold_target(most_places)) {
    fabric_.listing().done_with(listed_);
    listed_ = nullptr;
    return false;
  }
  reply.in_place = true;
  reply.layout = listed_->id;
  reply.version = listed_->version;
  reply.wire_bytes = listed_->wire_bytes;
  reply.wire = {listed_->wire.region->address_of(listed_->wire.at), listed_->wire_bytes, listed_->wire.region->key};
  reply.count = target_.count;
  for (const Registration* const held : held().all()) {
    const Region& region = held->region;
    reply.place[reply.places++] = {{region.address, static_cast<std::uint64_t>(region.length), region.key},
                                   region.start - target_.base};
  }
  receiving_ = receive_direct(*this);
  return true;
}

bool Incoming::grant(Control& reply, const Acceptance& acceptance) {
  Pool& pool = fabric_.segments();
  reply.segment = std::min(announcement_.segment, pool.slot_bytes());
  const Bytes segments = (announcement_.total + reply.segment - 1) / reply.segment;
  const auto wanted = static_cast<std::size_t>(
      std::min<Bytes>(segments, static_cast<Bytes>(std::clamp<std::size_t>(acceptance.window, 1, most_places))));
  std::vector<Slot> slots;
  for (Slot slot; slots.size() < wanted && pool.take(slot);) slots.push_back(slot);
  if (slots.empty()) return false;
  for (const Slot& slot : slots)
    reply.place[reply.places++].memory = {slot.region->address_of(slot.at), static_cast<std::uint64_t>(reply.segment),
                                          slot.region->key};
  receiving_ = receive_segments(*this, std::move(slots), acceptance.segment_unpack, reply.segment);
  return true;
}

void Incoming::step() { receiving_->step(); }

void Incoming::heard(const Control& control) { receiving_->heard(control); }

void Incoming::notified(std::uint32_t segment) {
  if (receiving_) receiving_->notified(segment);
}

void Incoming::completed(std::uint64_t tag) { receiving_->completed(tag); }

void Incoming::clean(bool peer_gone) noexcept {
  if (receiving_) receiving_->clean(peer_gone);
  release(peer_gone);
  if (listed_) fabric_.listing().done_with(listed_);
  listed_ = nullptr;
}

/// Releases the elements' registrations. `close`: a peer may still write to this memory, so it must
/// lose access.
void Incoming::release(bool close) noexcept {
  Registrations& registrations = fabric_.registrations();
  if (close) {
    for (const Registration* const held : held().all()) registrations.forget(held->region.start, held->region.length);
    if (kept_) registrations.drop(*kept_);
  }
  registrations.drop(held_);
  kept_ = nullptr;
}

}  // namespace heddle::transport::fabric
