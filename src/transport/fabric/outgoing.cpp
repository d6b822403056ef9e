// transport/fabric/outgoing.cpp: announces a message, takes the answer, and starts one of four
// schemes.
#include "transport/fabric/outgoing.hpp"

#include <algorithm>

#include "layout/pack.hpp"

namespace heddle::transport::fabric {

Outgoing::Outgoing(Fabric& fabric, const Elements& source, const Plan& plan)
    : Message(fabric), source_(source), plan_(plan), total_(layout::times(source.count, source.layout->size())) {
  if (state() != State::working) return;
  segment_ = std::clamp<Bytes>(plan.segment, 64, fabric_.segments().slot_bytes());
  // Take a segment before the receiver is told. A message that needs a segment later might wait for
  // ever.
  Slot reserve;
  if (total_ <= 0 || !fabric_.segments().take(reserve)) {
    fail(Failure::memory);
    return;
  }
  packed_.push_back(reserve);
  if (plan_.if_unpacks == FabricScheme::rwg_up && !hold_source()) plan_.if_unpacks = FabricScheme::bc_spup;  // then it packs
  announcement_.from = id_;
  announcement_.if_unpacks = plan_.if_unpacks;
  announcement_.if_in_place = plan_.if_in_place;
  announcement_.provider = mark_of(fabric_.abilities().provider);
  announcement_.total = total_;
  announcement_.segment = segment_;
  announcement_.who = fabric_.identity();
  announcement_.address_bytes = static_cast<std::uint8_t>(fabric_.address().size());
  std::ranges::copy(fabric_.address(), announcement_.address.begin());
  seal(announcement_, fabric_.options().nonce);
  // Pack while the answer is on its way (Wu et al. 2004, §5.2).
  if (plan_.if_unpacks == FabricScheme::bc_spup)
    layout::pack_range(*source_.layout, source_.count, source_.base, 0, std::min(segment_, total_), packed_[0].at);
}

Outgoing::~Outgoing() {
  if (state() == State::working) clean(false);
}

bool Outgoing::hold_source() {
  const bool needed = fabric_.abilities().local_registration || plan_.enlist;
  if (!needed || holds_) return true;
  Registrations& registrations = fabric_.registrations();
  holds_ = (plan_.kept ? registrations.hold_again(source_, false, plan_.regions, *plan_.kept)
                       : registrations.hold(source_, total_, false, plan_.regions, held_)) == Failure::none;
  return holds_;
}

void* Outgoing::describe(const std::byte* at) const noexcept {
  const Region* const region = held().find(at);
  return region ? region->descriptor : nullptr;
}

int Outgoing::most_under_way() const noexcept {
  return static_cast<int>(std::clamp<std::size_t>(fabric_.abilities().depth / 4, 4, 64));
}

bool Outgoing::pack(Bytes from, Bytes length, Slot& slot) {
  // Take the reserved slot first. It may hold the first segment, packed ahead.
  bool ready = false;
  if (!packed_.empty()) {
    slot = packed_.back();
    packed_.pop_back();
    ready = from == 0 && plan_.if_unpacks == FabricScheme::bc_spup && length == std::min(segment_, total_);
  } else if (!fabric_.segments().take(slot)) {
    return false;
  }
  if (!ready) layout::pack_range(*source_.layout, source_.count, source_.base, from, length, slot.at);
  return true;
}

void Outgoing::step() {
  if (sending_) sending_->step();
}

void Outgoing::heard(const Control& control) {
  if (control.kind != Kind::reply) {
    if (!sending_) return fail(Failure::damaged);
    return sending_->heard(control);
  }
  if (sending_ || control.segment > segment_) return fail(Failure::damaged);
  std::uint32_t peer = 0;
  if (!fabric_.meet(std::span(control.address).first(control.address_bytes), control.who, peer)) return fail(Failure::peer);
  peer_ = peer;
  theirs_ = control.from;
  met_ = exposed_ = true;
  fabric_.attach(peer);
  if (!control.in_place && control.places == 0) return fail(Failure::damaged);
  scheme_ = control.in_place ? plan_.if_in_place : plan_.if_unpacks;
  if (scheme_ == FabricScheme::rwg_up && !hold_source()) return fail(Failure::registration);
  if (scheme_ == FabricScheme::rwg_up || (scheme_ == FabricScheme::multi_w && hold_source())) free_reserve();
  switch (scheme_) {
    case FabricScheme::bc_spup:
    case FabricScheme::rwg_up:
      sending_ = send_segments(*this, control, scheme_ == FabricScheme::rwg_up);
      break;
    case FabricScheme::p_rrs:
      sending_ = send_offers(*this);
      break;
    case FabricScheme::multi_w:
      sending_ = send_direct(*this, control);
      break;
  }
  sending_->step();
}

void Outgoing::completed(std::uint64_t tag) {
  if (sending_) sending_->completed(tag);
}

void Outgoing::free_reserve() noexcept {
  for (const Slot& slot : packed_) fabric_.segments().give(slot);
  packed_.clear();
}

void Outgoing::clean(bool) noexcept {
  if (sending_) sending_->clean();
  free_reserve();
  fabric_.registrations().drop(held_);
}

}  // namespace heddle::transport::fabric
