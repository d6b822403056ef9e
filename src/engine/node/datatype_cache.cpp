// engine/node/datatype_cache.cpp: writes wire forms into node memory, and decodes those of peers.
#include "engine/node/datatype_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <span>

#include "layout/wire.hpp"

namespace heddle::engine {

/// Rooms have powers of two of bytes, a cache line at least. They are cut from slots, and stay in
/// the datatype cache.
std::byte* DatatypeCache::room_for(std::size_t bytes) noexcept try {
  const std::size_t room = std::max(std::bit_ceil(bytes), std::size_t{64});
  if (const auto found = free_room_.find(room); found != free_room_.end()) {
    std::byte* place = found->second;
    free_room_.erase(found);
    return place;
  }
  if (!arena_.reserve(1)) return nullptr;
  std::byte* slot = arena_.take_to_keep();
  for (std::size_t at = room; at < static_cast<std::size_t>(slot_bytes); at += room) free_room_.emplace(room, slot + at);
  return slot;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Listed DatatypeCache::list(const layout::Layout& layout) noexcept try {
  const std::vector<std::byte> wire = layout::wire::encode(layout);
  if (wire.size() > largest) return {};
  const std::lock_guard guard(arena_lock_);
  std::byte* place = room_for(wire.size());
  if (!place) return {};
  std::memcpy(place, wire.data(), wire.size());
  if (free_ids_.empty()) {
    free_ids_.push_back(static_cast<std::uint32_t>(versions_.size()));
    versions_.push_back(0);
    free_ids_.reserve(versions_.size());
  }
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  return {id, ++versions_[id], static_cast<std::uint64_t>(place - arena_.base()), static_cast<std::uint32_t>(wire.size())};
} catch (const std::exception&) {
  return {};
}

void DatatypeCache::strike(const Listed& listed) noexcept {
  if (listed.wire_bytes == 0) return;
  const std::lock_guard guard(arena_lock_);
  free_ids_.push_back(listed.id);
  try {
    free_room_.emplace(std::max(std::bit_ceil(std::size_t{listed.wire_bytes}), std::size_t{64}), arena_.base() + listed.wire);
  } catch (const std::bad_alloc&) {
    // The room is lost until the end of the process, which is better than to end the process.
  }
}

std::shared_ptr<const layout::Layout> PeerDatatypes::find(const Descriptor& descriptor, const std::byte* memory) noexcept try {
  if (descriptor.wire_bytes == 0) return nullptr;
  const std::lock_guard guard(lock_);
  Item& item = items_[{descriptor.sender, descriptor.layout}];
  if (item.layout && item.version == descriptor.layout_version) return item.layout;
  const std::span<const std::byte> wire(memory + descriptor.wire, descriptor.wire_bytes);
  item.layout = std::make_shared<const layout::Layout>(layout::wire::decode(wire));
  item.version = descriptor.layout_version;
  return item.layout;
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace heddle::engine
