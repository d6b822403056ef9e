// transport/peer_memory.cpp: a cache by (peer, id), checked against the version in the owner's table at each use.
#include "transport/peer_memory.hpp"

#include <algorithm>
#include <new>
#include <optional>

namespace heddle::transport {
namespace {

struct Extent {
  Bytes offset = 0;
  Bytes bytes = 0;
};

/// What the owner says of that region, if it is still the one that is meant and lies within the owner's file: what is beyond
/// would be SIGBUS.
std::optional<Extent> current(const Node::File& file, const Place& place) noexcept {
  if (place.id >= slots || place.version == 0) return std::nullopt;
  const Slot& slot = slots_of(file)[place.id];
  if (slot.version.load(std::memory_order_acquire) != place.version) return std::nullopt;
  const Extent extent{slot.offset.load(std::memory_order_acquire), slot.bytes.load(std::memory_order_acquire)};
  if (slot.version.load(std::memory_order_relaxed) != place.version) return std::nullopt;
  const bool sound = extent.bytes > 0 && extent.bytes <= file.shared && extent.offset >= 0 &&
                     extent.offset <= file.shared - extent.bytes && extent.offset % page_size() == 0 &&
                     extent.bytes % page_size() == 0;
  return sound ? std::optional(extent) : std::nullopt;
}

}  // namespace

PeerMemory::PeerMemory(const Node& node) : peers_(static_cast<std::size_t>(node.size())) {
  for (int peer = 0; peer < node.size(); ++peer) peers_[static_cast<std::size_t>(peer)].file = node.file(peer);
}

const std::byte* PeerMemory::map(int peer, const Place& place, Bytes bytes) noexcept try {
  if (peer < 0 || static_cast<std::size_t>(peer) >= peers_.size()) return nullptr;
  Peer& owner = peers_[static_cast<std::size_t>(peer)];
  if (owner.file.descriptor < 0) return nullptr;
  const std::optional<Extent> extent = current(owner.file, place);
  if (!extent || place.offset < 0 || bytes < 0 || place.offset > extent->bytes || bytes > extent->bytes - place.offset)
    return nullptr;

  const std::lock_guard guard(lock_);
  const auto known = owner.regions.find(place.id);
  if (known != owner.regions.end() && known->second.version == place.version) return known->second.memory.base() + place.offset;
  if (owner.regions.size() >= owner.sweep_at) sweep(owner);
  if (mapped_ >= most)
    for (Peer& other : peers_) sweep(other);
  Mapping fresh;
  if (mapped_ >= most ||
      fresh.map(owner.file.descriptor, owner.file.shared_from + extent->offset, extent->bytes, Mapping::Access::read) != 0)
    return nullptr;
  const auto [entry, is_new] = owner.regions.try_emplace(place.id);
  entry->second.version = place.version;
  entry->second.memory = std::move(fresh);
  if (is_new) ++mapped_;
  return entry->second.memory.base() + place.offset;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void PeerMemory::sweep(Peer& peer) noexcept {
  const auto released = [&](const auto& entry) {
    return slots_of(peer.file)[entry.first].version.load(std::memory_order_relaxed) != entry.second.version;
  };
  mapped_ -= std::erase_if(peer.regions, released);
  peer.sweep_at = std::max<std::size_t>(16, 2 * peer.regions.size());
}

std::size_t PeerMemory::mapped() const noexcept {
  const std::lock_guard guard(lock_);
  return mapped_;
}

}  // namespace heddle::transport
