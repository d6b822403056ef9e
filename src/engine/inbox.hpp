// engine/inbox.hpp: the receiver's side of a message. May include: descriptor.hpp, layout/.
//
//   Descriptor descriptor;
//   if (announced(buffer, nonce) && read(buffer, nonce, ranks, memory, descriptor))
//     const Arrived arrived = receive(descriptor, memory_of(descriptor.sender), {&layout, count, buffer}, crowded);
#pragma once

#include "engine/descriptor.hpp"
#include "layout/layout.hpp"

namespace heddle::engine {

/// Where the program wants it.
struct Target {
  const layout::Layout* layout;
  Count count;
  void* base;
};

/// The control block is no longer that of the message: a descriptor that was received before, or a forged one.
[[nodiscard]] bool stale(const Descriptor& descriptor, const std::byte* memory) noexcept;

/// Moves every segment to its place, in order, as the sender packs them; returns when the last is there. What does not fit
/// into the target (truncation, MPI-4.1 §3.2.5) is drained all the same: the sender gets its slots back.
/// @param memory   The sender's node memory as mapped here.
/// @param crowded  More ranks than cores: waiting gives the core away.
/// @return bytes moved into the target.
Bytes receive(const Descriptor& descriptor, std::byte* memory, const Target& target, bool crowded) noexcept;

}  // namespace heddle::engine
