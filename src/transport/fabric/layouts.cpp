// transport/fabric/layouts.cpp: the least recently used layout makes room, and the next layout gets
// its id.
#include "transport/fabric/layouts.hpp"

#include <cstring>

#include "layout/wire.hpp"

namespace heddle::transport::fabric {

Listed* Listing::list(const layout::Layout& layout) {
  const Key key{layout.node(), layout.root().offset, layout.lower_bound(), layout.extent()};
  if (const auto at = listed_.find(key); at != listed_.end()) {
    ++at->second->users;
    at->second->used = ++clock_;
    return at->second.get();
  }
  std::vector<std::byte> wire;
  try {
    wire = layout::wire::encode(layout);
  } catch (const std::length_error&) {
    return nullptr;
  }
  if (static_cast<Bytes>(wire.size()) > largest) return nullptr;
  auto listed = std::make_unique<Listed>();
  if (listed_.size() == most_) {
    auto oldest = listed_.end();
    for (auto at = listed_.begin(); at != listed_.end(); ++at)
      if (at->second->users == 0 && (oldest == listed_.end() || at->second->used < oldest->second->used)) oldest = at;
    if (oldest == listed_.end()) return nullptr;
    listed->id = oldest->second->id;
    listed->version = oldest->second->version + 1;
    listed->wire = oldest->second->wire;
    listed_.erase(oldest);
  } else {
    if (!pool_.take(listed->wire)) return nullptr;
    listed->id = next_id_++;
  }
  std::memcpy(listed->wire.at, wire.data(), wire.size());
  listed->wire_bytes = static_cast<std::uint32_t>(wire.size());
  listed->layout = layout;
  listed->users = 1;
  listed->used = ++clock_;
  return listed_.emplace(key, std::move(listed)).first->second.get();
}

std::shared_ptr<const layout::Layout> PeerLayouts::learn(std::uint32_t peer, std::uint32_t id, std::uint32_t version,
                                                         std::span<const std::byte> wire) {
  try {
    auto layout = std::make_shared<const layout::Layout>(layout::wire::decode(wire));
    if (known_.size() >= most) known_.clear();
    known_[{peer, id}] = {version, layout};
    return layout;
  } catch (const layout::wire::Error&) {
    return nullptr;
  }
}

}  // namespace heddle::transport::fabric
