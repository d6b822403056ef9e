// transport/fabric/registrations.cpp: live regions are disjoint, in a map. A region that is given
// up stays registered until its last message ends.
#include "transport/fabric/registrations.hpp"

#include <algorithm>
#include <cerrno>

#include "transport/region.hpp"

namespace heddle::transport::fabric {
namespace {

std::byte* page_start(std::byte* at) {
  return at - reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(page_size());
}

}  // namespace

const Region* Holding::find(const std::byte* at) const noexcept {
  if (last_ < held_.size() && held_[last_]->region.covers(at, 1)) return &held_[last_]->region;
  const auto after =
      std::ranges::upper_bound(held_, at, {}, [](const Registration* r) -> const std::byte* { return r->region.start; });
  if (after == held_.begin()) return nullptr;
  last_ = static_cast<std::size_t>(after - held_.begin()) - 1;
  return held_[last_]->region.covers(at, 1) ? &held_[last_]->region : nullptr;
}

Registrations::~Registrations() {
  for (Registration& registration : all_) {
    budget_.give(registration.counted);
    endpoint_.release(registration.region);
  }
}

Failure Registrations::hold(const Elements& elements, Bytes total, bool writable, std::size_t most, Holding& holding) {
  ask_monitor();
  const auto take = [&](const std::vector<layout::Segment>& regions) {
    if (regions.empty()) return false;
    for (const layout::Segment& region : regions) {
      Registration* const held = one(elements.base + region.offset, region.length, writable);
      if (!held) {
        drop(holding);
        return false;
      }
      // Two regions of the message may have become one.
      if (!holding.held_.empty() && holding.held_.back() == held)
        --held->users;
      else
        holding.held_.push_back(held);
    }
    return true;
  };
  // Optimistic: first assume that gaps are mapped memory. If they are not, or are too large,
  // register only the blocks' own pages.
  if (take(group(*elements.layout, elements.count, total, prices_, most)) ||
      take(group(*elements.layout, elements.count, total, Prices{0, 1}, most)))
    return Failure::none;
  return Failure::registration;
}

void Registrations::drop(Holding& holding) noexcept {
  for (Registration* const registration : holding.held_) release(registration);
  holding = {};
}

Failure Registrations::hold_again(const Elements& elements, bool writable, std::size_t most, Holding& holding) {
  ask_monitor();
  if (!holding.empty() && std::ranges::none_of(holding.held_, &Registration::stale)) return Failure::none;
  drop(holding);
  return hold(elements, layout::times(elements.count, elements.layout->size()), writable, most, holding);
}

Registration* Registrations::one(std::byte* start, Bytes length, bool writable) {
  std::byte* const from = page_start(start);
  Bytes bytes = round_up(start + length - from, page_size());
  if (keep_ == Keep::never) return enlist(from, bytes, writable);

  // Look at the registrations that overlap the range. If one of them covers the range, use it.
  // Otherwise one larger registration replaces them all.
  std::byte* low = from;
  std::byte* high = from + bytes;
  auto at = index_.upper_bound(from);
  if (at != index_.begin() && std::prev(at)->second->region.start + std::prev(at)->second->region.length > from) --at;
  for (; at != index_.end() && at->first < high;) {
    Registration& found = *at->second;
    if (found.region.covers(from, bytes) && (found.region.writable || !writable)) {
      ++found.users;
      found.used = ++clock_;
      return &found;
    }
    low = std::min(low, found.region.start);
    high = std::max(high, found.region.start + found.region.length);
    writable = writable || found.region.writable;
    ++at;
    bury(found);
  }
  Registration* made = enlist(low, high - low, writable);
  if (!made && high - low > bytes) made = enlist(from, bytes, writable);  // a neighbour may be unmapped by now
  if (!made) return nullptr;
  made->watched = keep_ == Keep::watched && monitor_ && monitor_->watch(made->region.start, made->region.length);
  made->live = keep_ == Keep::always || made->watched;
  if (made->live) index_.emplace(made->region.start, made);
  return made;
}

Registration* Registrations::enlist(std::byte* start, Bytes length, bool writable) {
  const Bytes counted = length;
  while (!budget_.take(counted))
    if (!evict()) return nullptr;
  Region region;
  for (;;) {
    ++calls_;
    const int error = endpoint_.enlist(start, length, writable, region);
    if (error == 0) break;
    if ((error == ENOMEM || error == EAGAIN) && evict()) continue;  // the system's limit is lower than the budget's
    budget_.give(counted);
    return nullptr;
  }
  all_.push_front({.region = region, .counted = counted, .users = 1, .live = false, .used = ++clock_});
  all_.front().self = all_.begin();
  return &all_.front();
}

/// Gives up the registration that has been unused for longest.
bool Registrations::evict() noexcept {
  Registration* oldest = nullptr;
  for (const auto& [start, registration] : index_)
    if (registration->users == 0 && (!oldest || registration->used < oldest->used)) oldest = registration;
  if (oldest) bury(*oldest);
  return oldest != nullptr;
}

/// Takes a registration out of the index. It ends when no message uses it.
void Registrations::bury(Registration& registration) noexcept {
  if (registration.live) index_.erase(registration.region.start);
  registration.live = false;
  registration.stale = true;
  // Stop watching at once: when its last message ends, another registration may watch the same
  // pages.
  if (registration.watched) monitor_->unwatch(registration.region.start, registration.region.length);
  registration.watched = false;
  ++registration.users;
  release(&registration);
}

void Registrations::release(Registration* registration) noexcept {
  if (--registration->users > 0 || registration->live) return;
  endpoint_.release(registration->region);
  budget_.give(registration->counted);
  all_.erase(registration->self);
}

void Registrations::forget(const std::byte* start, Bytes length) noexcept {
  const std::byte* const end = start + length;
  auto at = index_.upper_bound(start);
  if (at != index_.begin() && std::prev(at)->second->region.start + std::prev(at)->second->region.length > start) --at;
  while (at != index_.end() && at->first < end) bury(*(at++)->second);
}

void Registrations::ask_monitor() noexcept {
  if (monitor_) monitor_->gone([this](Range range) { forget(range.start, range.length); });
}

}  // namespace heddle::transport::fabric
