// engine/node/rendezvous_receiver.hpp: the receiver's side of a message.
//
//   Descriptor descriptor;
//   if (is_descriptor(buffer, nonce) && read(buffer, nonce, ranks, memory, descriptor))
//     bytes = receive(descriptor, {.memory = memory_of(descriptor.sender)}, {&layout, count, buffer});
#pragma once

#include "engine/node/datatype_cache.hpp"
#include "engine/node/descriptor.hpp"
#include "engine/node/distance.hpp"
#include "engine/node/rendezvous_sender.hpp"
#include "engine/node/scratch_buffers.hpp"
#include "layout/layout.hpp"
#include "report/times.hpp"
#include "transport/join_node.hpp"
#include "transport/transport_list.hpp"

namespace heddle::engine {

/// The program's receive buffer.
struct Target {
  const layout::Layout* layout;
  Count count;
  void* base;
};

/// How this process reaches the sender of a message.
struct Reach {
  std::byte* memory;                                     ///< Its node memory, mapped here.
  Bytes memory_size = 0;                                 ///< Bytes of that memory.
  transport::JoinedNode* opens = nullptr;                ///< Opens the memory when needed; null: all of it is open.
  int peer = -1;                                         ///< The sender's rank in `opens`.
  const transport::TransportList* transports = nullptr;  ///< Those that map buffers; null: nothing is mapped.
  transport::Copier copier{};                            ///< Copies its memory; false: nothing is copied.
  RendezvousSender* own = nullptr;                       ///< The sender, if it is this process.
  PeerDatatypes* known = nullptr;                        ///< Layouts of peers; null: nothing is pulled.
  ScratchPool* scratch_pool = nullptr;                   ///< Null: nothing is pulled.
  Distances* distances = nullptr;                        ///< Null: the distance to the sender is not measured.
  bool crowded = false;                                  ///< More ranks than cores: waiting gives the core away.
  report::Times* times = nullptr;                        ///< Gets the times of the receive; null: not wanted.

  /// False: the first `end` bytes of its memory cannot be accessed.
  [[nodiscard]] bool open(Bytes end) const noexcept { return end <= memory_size && (!opens || opens->open(peer, end)); }
};

/// True: the control block is no longer that of the message. The descriptor was received before, or
/// is forged. This is the first look at the block, so it also measures the distance to the sender.
[[nodiscard]] bool stale(const Descriptor& descriptor, const Reach& reach) noexcept;

/// The control block names a place outside of the sender's memory , or a cell is in an impossible
/// state. The rest of the message is drained. The bytes in the target mean nothing.
constexpr Bytes damaged = -1;

/// Moves every segment to its place: unpacks segments that the sender packs, and takes open ones if
/// it may. Returns when the last is there. Segments that do not fit into the target (truncation,
/// MPI-4.1 §3.2.5) are drained all the same, so that the sender gets its slots back.
/// @return bytes moved into the target, or `damaged`.
Bytes receive(const Descriptor& descriptor, const Reach& reach, const Target& target) noexcept;

/// Brings every segment of a message to `done` without moving it. Only the part of its descriptor
/// up to `control` has arrived. False: no control block can be there.
bool drain(std::uint64_t control, std::byte* memory, Bytes memory_size, bool crowded) noexcept;

}  // namespace heddle::engine
