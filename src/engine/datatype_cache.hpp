// engine/datatype_cache.hpp: layouts that peers can look up instead of being told with every message (the datatype cache of Wu
// et al. 2004, §4.4.2). A layout gets an id when it is first sent to somebody who may read by it; its wire form then lies in
// node memory, where every peer can fetch it. When the datatype is freed the id is used again, with the next version, and a
// peer that knows the old one sees by the version that it must fetch anew. May include: arena.hpp, layout/wire.hpp.
//
//   sender     const Listed listed = datatypes.list(layout);               receiver   known.find(sender, memory, descriptor)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/arena.hpp"
#include "engine/descriptor.hpp"
#include "layout/layout.hpp"

namespace heddle::engine {

/// Where a layout is written down; what a descriptor says of it.
struct Listed {
  std::uint32_t id = 0;
  std::uint32_t version = 0;
  std::uint64_t wire = 0;        ///< Bytes from the start of the node memory.
  std::uint32_t wire_bytes = 0;  ///< 0: not listed, the layout is too large or there is no room.
};

/// Of the sender. Safe for several threads.
class DatatypeCache {
 public:
  explicit DatatypeCache(Arena& arena, std::mutex& arena_lock) : arena_(arena), arena_lock_(arena_lock) {}

  /// Writes the layout down. Layouts beyond 16 KiB of wire form are not listed: those messages are packed.
  [[nodiscard]] Listed list(const layout::Layout& layout) noexcept;
  /// The datatype is gone, and no message of it is under way.
  void strike(const Listed& listed) noexcept;

 private:
  static constexpr std::size_t largest = 16 << 10;
  std::byte* room_for(std::size_t bytes) noexcept;

  Arena& arena_;
  std::mutex& arena_lock_;
  std::vector<std::uint32_t> versions_;  // by id
  std::vector<std::uint32_t> free_ids_;
  std::multimap<std::size_t, std::byte*> free_room_;  // by bytes, powers of two
};

/// Of the receiver: layouts of peers, decoded once. Safe for several threads.
class Known {
 public:
  /// The layout that a descriptor names, or null: forged, damaged, no memory. Only while the caller holds a claim on a cell of
  /// the message: then the sender keeps the wire form in place. What is returned stays until its id has a new version.
  [[nodiscard]] std::shared_ptr<const layout::Layout> find(const Descriptor& descriptor, const std::byte* memory) noexcept;

 private:
  struct Item {
    std::uint32_t version = 0;
    std::shared_ptr<const layout::Layout> layout;
  };
  std::mutex lock_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Item> items_;  // by sender and id
};

}  // namespace heddle::engine
