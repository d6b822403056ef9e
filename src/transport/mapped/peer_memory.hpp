// transport/mapped/peer_memory.hpp: maps memory that peers have handed out, when it is first
// needed, and keeps it mapped.
//
//   PeerMemory theirs(node);
//   if (const std::byte* source = theirs.map(sender, descriptor.place, extent)) transfer(source, ...);
//
// A peer's regions have the same offsets here as in its file. So a chunk is mapped once, while
// regions come and go in it. Each use compares the region's version, and so notices that a region
// has been released. The pointer is good until the owner releases the region. MPI forbids a program
// to free the buffer of a message under way. If an owner does so nevertheless, the reader gets
// arbitrary bytes, but no fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/join_node.hpp"
#include "transport/mapped/address_space.hpp"
#include "transport/mapped/region_table.hpp"

namespace heddle::transport {

class PeerMemory {
 public:
  /// The node must outlive it. Costs nothing before the first map().
  explicit PeerMemory(const JoinedNode& node);

  /// The address here of `bytes` bytes from `place` on in memory of `peer`, for reading. Null: the
  /// region does not exist (any more), is too short, or cannot be mapped; take another way. Any
  /// thread may call it. It takes no lock once the region is mapped.
  [[nodiscard]] const std::byte* map(int peer, const Place& place, Bytes bytes) noexcept;

  /// Bytes of peers' memory that are mapped now.
  [[nodiscard]] Bytes mapped() const noexcept { return mapped_.load(std::memory_order_relaxed); }

 private:
  using Flags = std::unique_ptr<std::atomic<bool>[]>;
  struct Peer {
    JoinedNode::File file;
    std::atomic<const std::byte*> base{nullptr};
    bool refused = false;  // no address space
    AddressSpace space;
    Flags shown;  // by chunk
  };

  bool show(Peer& peer, std::size_t begin, std::size_t end) noexcept;

  std::mutex lock_;
  std::atomic<Bytes> mapped_{0};
  std::vector<Peer> peers_;
};

}  // namespace heddle::transport
