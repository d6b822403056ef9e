// transport/transport_list.hpp: the transports of a process, by which it reaches the memory of the
// other processes of its node: those of the table that HEDDLE_TRANSPORTS allows.
//
//   if (MappedBuffer theirs = list.map({peer, address, bytes, place}); theirs.address()) ...
//   if (const Copier copier = list.copier(peer)) copier.pull(local, remote);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace heddle::transport {

class TransportList {
 public:
  /// The node must outlive it. Throws std::bad_alloc.
  TransportList(const JoinedNode& node, const TransportSet& allowed);

  [[nodiscard]] std::span<const std::unique_ptr<Transport>> all() const noexcept { return all_; }

  /// That peer's memory, if a transport copies it.
  [[nodiscard]] Copier copier(int peer) const noexcept {
    for (Transport* const each : copying_)
      if (each->reach(peer)) return {each, peer};
    return {};
  }
  /// The transport by which that peer copies this process's memory. Null: none.
  [[nodiscard]] const Transport* copied_by(int peer) const noexcept { return first_reached_by(copying_, peer); }
  /// The transport by which that peer maps any memory of this process. Null: none.
  [[nodiscard]] const Transport* mapped_by(int peer) const noexcept { return first_reached_by(mapping_any_, peer); }

  /// Maps a buffer of a peer by the first transport that can. A transport of any memory must have
  /// passed the trial between the two processes.
  [[nodiscard]] MappedBuffer map(const PeerBuffer& buffer) const noexcept {
    for (Transport* const each : mapping_) {
      if (each->entry().can.any_memory() && !each->reach(buffer.peer)) continue;
      if (MappedBuffer mapped = each->map(buffer); mapped.address()) return mapped;
    }
    return {};
  }

 private:
  static const Transport* first_reached_by(const std::vector<Transport*>& among, int peer) noexcept {
    for (const Transport* const each : among)
      if (each->reached_by(peer)) return each;
    return nullptr;
  }

  std::vector<std::unique_ptr<Transport>> all_;
  std::vector<Transport*> copying_, mapping_, mapping_any_;
};

}  // namespace heddle::transport
