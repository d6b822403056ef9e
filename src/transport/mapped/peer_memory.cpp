// transport/mapped/peer_memory.cpp: compares versions, and maps each chunk once.
#include "transport/mapped/peer_memory.hpp"

#include <algorithm>
#include <new>
#include <optional>

namespace heddle::transport {
namespace {

struct Extent {
  Bytes offset = 0;
  Bytes bytes = 0;
};

/// The region's place in the owner's file, if its version is still that of `place`. A region that
/// does not lie within the file is refused: reading it would raise SIGBUS.
std::optional<Extent> current(const JoinedNode::File& file, const Place& place) noexcept {
  if (place.id >= slots || place.version == 0) return std::nullopt;
  const Slot& slot = slots_of(file)[place.id];
  if (slot.version.load(std::memory_order_acquire) != place.version) return std::nullopt;
  const Extent extent{slot.offset.load(std::memory_order_acquire), slot.bytes.load(std::memory_order_acquire)};
  if (slot.version.load(std::memory_order_relaxed) != place.version) return std::nullopt;
  const bool sound = extent.bytes > 0 && extent.bytes <= file.shared && extent.offset >= 0 &&
                     extent.offset <= file.shared - extent.bytes && extent.offset % page_size() == 0;
  return sound ? std::optional(extent) : std::nullopt;
}

}  // namespace

PeerMemory::PeerMemory(const JoinedNode& node) : peers_(static_cast<std::size_t>(node.size())) {
  for (int peer = 0; peer < node.size(); ++peer) peers_[static_cast<std::size_t>(peer)].file = node.file(peer);
}

const std::byte* PeerMemory::map(int peer, const Place& place, Bytes bytes) noexcept {
  if (peer < 0 || static_cast<std::size_t>(peer) >= peers_.size()) return nullptr;
  Peer& owner = peers_[static_cast<std::size_t>(peer)];
  if (owner.file.descriptor < 0) return nullptr;
  const std::optional<Extent> extent = current(owner.file, place);
  const Bytes needed = std::max<Bytes>(bytes, 1);
  if (!extent || bytes < 0 || place.offset < 0 || needed > extent->bytes || place.offset > extent->bytes - needed)
    return nullptr;

  const Bytes at = extent->offset + place.offset;
  const auto begin = static_cast<std::size_t>(at / AddressSpace::chunk);
  const auto end = static_cast<std::size_t>((at + needed - 1) / AddressSpace::chunk + 1);
  const std::byte* base = owner.base.load(std::memory_order_acquire);
  for (std::size_t i = begin; i < end; ++i) {
    if (base && owner.shown[i].load(std::memory_order_acquire)) continue;
    if (!show(owner, i, end)) return nullptr;
    base = owner.base.load(std::memory_order_relaxed);
    break;
  }
  return base + at;
}

bool PeerMemory::show(Peer& peer, std::size_t begin, std::size_t end) noexcept try {
  const std::lock_guard guard(lock_);
  if (peer.refused) return false;
  if (!peer.space.base()) {
    const auto chunks = static_cast<std::size_t>(peer.file.shared / AddressSpace::chunk);
    Flags flags = std::make_unique<std::atomic<bool>[]>(chunks);
    peer.refused = !peer.space.reserve(peer.file.shared, std::min(AddressSpace::least_space, peer.file.shared));
    if (peer.refused) return false;
    peer.shown = std::move(flags);
    peer.base.store(peer.space.base(), std::memory_order_release);
  }
  for (std::size_t i = begin; i < end; ++i) {
    if (peer.shown[i].load(std::memory_order_relaxed)) continue;
    std::size_t run_end = i + 1;
    while (run_end < end && !peer.shown[run_end].load(std::memory_order_relaxed)) ++run_end;
    const Bytes bytes = static_cast<Bytes>(run_end - i) * AddressSpace::chunk;
    if (!peer.space.show(peer.file.descriptor, peer.file.shared_from, static_cast<Bytes>(i) * AddressSpace::chunk, bytes,
                         Mapping::Access::read))
      return false;
    for (; i < run_end; ++i) peer.shown[i].store(true, std::memory_order_release);
    mapped_.fetch_add(bytes, std::memory_order_relaxed);
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace heddle::transport
