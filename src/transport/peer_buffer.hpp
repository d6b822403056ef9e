// transport/peer_buffer.hpp: memory of another process of the node, as a descriptor names it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/bytes.hpp"

namespace heddle::transport {

using layout::Bytes;

/// A place in memory that a process handed out (mapped/region_table.hpp). Descriptors carry it: 24
/// bytes, no pointers.
struct Place {
  std::uint64_t version = 0;  ///< 0: no place.
  Bytes offset = 0;           ///< From the beginning of the region.
  std::uint32_t id = 0;
  std::uint32_t reserved = 0;
};

struct PeerBuffer {
  int peer = -1;                       ///< Its rank in the node.
  const std::byte* address = nullptr;  ///< There. Null: only the place may be used.
  Bytes bytes = 0;
  Place place{};  ///< Of the first byte, if the peer has handed the memory out.
};

}  // namespace heddle::transport
