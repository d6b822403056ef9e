// engine/node/datatype_cache.hpp: layouts that peers look up instead of getting them with every
// message (the datatype cache of Wu et al. 2004, §4.4.2). A layout gets an id when it is first sent
// to a peer that may read the buffer by it. Its wire form then lies in node memory, where every
// peer can fetch it. When the datatype is freed, the id is used again with the next version. A peer
// that knows the old version sees that it must fetch the layout anew.
//
//   sender     const Listed listed = datatypes.list(layout);               receiver   known.find(descriptor, memory)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/node/arena.hpp"
#include "engine/node/descriptor.hpp"
#include "layout/layout.hpp"

namespace heddle::engine {

/// The place of a layout's wire form, as a descriptor names it.
struct Listed {
  std::uint32_t id = 0;
  std::uint32_t version = 0;
  std::uint64_t wire = 0;        ///< Bytes from the start of the node memory.
  std::uint32_t wire_bytes = 0;  ///< 0: not listed, the layout is too large or there is no room.
};

/// The sender's side. Safe for several threads.
class DatatypeCache {
 public:
  explicit DatatypeCache(Arena& arena, std::mutex& arena_lock) : arena_(arena), arena_lock_(arena_lock) {}

  /// Writes the layout down. Layouts with more than 16 KiB of wire form are not listed: their
  /// messages are packed.
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

/// The receiver's side: layouts of peers, decoded once. Safe for several threads.
class PeerDatatypes {
 public:
  /// The layout that a descriptor names. Null: it is forged or damaged, or there is no memory. The
  /// caller must hold a claim on a cell of the message, because only then the sender keeps the wire
  /// form in place.
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
