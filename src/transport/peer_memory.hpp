// transport/peer_memory.hpp: memory that peers have handed out, mapped here when it is first needed, and kept.
// May include: node.hpp, region_table.hpp.
//
//   PeerMemory theirs(node);
//   if (const std::byte* source = theirs.map(sender, descriptor.place, extent)) transfer(source, ...);
//
// The pointer is good until the owner releases the region. An owner that does so while somebody still reads has freed a
// buffer of a message under way, which MPI forbids; then zeros are read.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "transport/node.hpp"
#include "transport/region_table.hpp"

namespace heddle::transport {

class PeerMemory {
 public:
  /// The node must outlive it.
  explicit PeerMemory(const Node& node);

  /// `bytes` bytes from `place` on in memory of `peer`, to be read. Null: that peer has no such region (any more), it does not
  /// reach that far, or it cannot be mapped: take another way. Any thread.
  [[nodiscard]] const std::byte* map(int peer, const Place& place, Bytes bytes) noexcept;

  /// Regions that are mapped now.
  [[nodiscard]] std::size_t mapped() const noexcept;

  /// Of all peers together, so that the program keeps most of the 65530 mappings that a process may have.
  static constexpr std::size_t most = 8192;

 private:
  struct Known {
    std::uint64_t version = 0;
    Mapping memory;
  };
  struct Peer {
    Node::File file;
    std::unordered_map<std::uint32_t, Known> regions;  // by id
    std::size_t sweep_at = 16;
  };

  void sweep(Peer& peer) noexcept;

  mutable std::mutex lock_;
  std::size_t mapped_ = 0;
  std::vector<Peer> peers_;
};

}  // namespace heddle::transport
