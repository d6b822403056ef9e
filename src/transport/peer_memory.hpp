// transport/peer_memory.hpp: memory that peers have handed out, mapped here when it is first
// needed, and kept.
//
//   PeerMemory theirs(node);
//   if (const std::byte* source = theirs.map(sender, descriptor.place, extent)) transfer(source, ...);
//
// A peer's regions lie here as they lie in its file, so that a chunk is mapped once, whatever regions come and go in it;
// whether a region is still the one that is meant, its version says, at each use. The pointer is good until the owner releases
// the region. An owner that does so while somebody still reads has freed a buffer of a message under way, which MPI forbids;
// what is read then is anything, but not a fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/address_space.hpp"
#include "transport/node.hpp"
#include "transport/region_table.hpp"

namespace heddle::transport {

class PeerMemory {
 public:
  /// The node must outlive it. Costs nothing before the first map().
  explicit PeerMemory(const Node& node);

  /// `bytes` bytes from `place` on in memory of `peer`, to be read. Null: that peer has no such region (any more), it does not
  /// reach that far, or it cannot be mapped: take another way. Any thread; no lock once it is mapped.
  [[nodiscard]] const std::byte* map(int peer, const Place& place, Bytes bytes) noexcept;

  /// Bytes of all peers' memory that are mapped now.
  [[nodiscard]] Bytes mapped() const noexcept { return mapped_.load(std::memory_order_relaxed); }

 private:
  using Flags = std::unique_ptr<std::atomic<bool>[]>;
  struct Peer {
    Node::File file;
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
