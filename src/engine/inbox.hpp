// engine/inbox.hpp: the receiver's side of a message.
//
//   Descriptor descriptor;
//   if (is_descriptor(buffer, nonce) && read(buffer, nonce, ranks, memory, descriptor))
//     bytes = receive(descriptor, {.memory = memory_of(descriptor.sender)}, {&layout, count, buffer});
#pragma once

#include <sys/types.h>

#include "engine/datatype_cache.hpp"
#include "engine/descriptor.hpp"
#include "engine/desk.hpp"
#include "engine/distance.hpp"
#include "layout/layout.hpp"
#include "report/times.hpp"
#include "transport/node.hpp"
#include "transport/peer_memory.hpp"

namespace heddle::engine {

/// Where the program wants it.
struct Target {
  const layout::Layout* layout;
  Count count;
  void* base;
};

/// How this process reaches the sender of a message.
struct Reach {
  std::byte* memory;                        ///< Its node memory, mapped here,
  Bytes memory_size = 0;                    ///< so many bytes,
  transport::Node* opens = nullptr;         ///< opened by this node when needed; null: all open.
  int peer = -1;                            ///< The sender there.
  transport::PeerMemory* theirs = nullptr;  ///< What peers have handed out; null: nothing is mapped.
  pid_t process = 0;                        ///< For process_vm_readv; 0: forbidden.
  Known* known = nullptr;                   ///< Layouts of peers; null: nothing is pulled.
  Desks* desks = nullptr;                   ///< Null: nothing is pulled.
  Distances* distances = nullptr;           ///< Null: how far the sender is, is not looked at.
  bool crowded = false;                     ///< More ranks than cores: waiting gives the core away.
  report::Times* times = nullptr;           ///< Where the time goes; null: nobody wants to know.

  /// False: the first `end` bytes of its memory cannot be accessed.
  [[nodiscard]] bool open(Bytes end) const noexcept { return end <= memory_size && (!opens || opens->open(peer, end)); }
};

/// The control block is no longer that of the message: a descriptor that was received before, or a forged one. Whoever asks is
/// the first to look at the block, and sees how far the sender is.
[[nodiscard]] bool stale(const Descriptor& descriptor, const Reach& reach) noexcept;

/// The control block says what no sender says: a place outside of its memory, a state that the cell cannot be in. The rest is
/// drained; what is in the target means nothing.
constexpr Bytes damaged = -1;

/// Moves every segment to its place: unpacks what the sender packs, and takes what it may; returns when the last is there.
/// What does not fit into the target (truncation, MPI-4.1 §3.2.5) is drained all the same: the sender gets its slots back.
/// @return bytes moved into the target, or `damaged`.
Bytes receive(const Descriptor& descriptor, const Reach& reach, const Target& target) noexcept;

/// Brings every segment of a message to `done` without moving it. Its descriptor has arrived in part: as much as these words.
/// False: they make no sense.
bool drain(std::uint64_t control, std::byte* memory, Bytes memory_size, bool crowded) noexcept;

}  // namespace heddle::engine
