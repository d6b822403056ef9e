// engine/node/arrival.hpp: looks at the bytes that a receive has brought. If they are the
// descriptor of a message within the node, fetches the message (docs/protocol.md).
//
//   const Receipt receipt{.peer = 3, .tag = 7, .bytes = bytes_of(status)};
//   const Arrival arrival = fetch(node, buffer, room, receipt, {&layout, count, elements});
//   if (arrival.outcome == Arrival::Outcome::whole) status.bytes = arrival.moved;
//
// A program may write over a descriptor that has arrived in its memory, by another receive into the
// same place or by a store. No program can write over the status: sender, tag and length. The
// length tells whether a descriptor has come (lengths.hpp), and the sender keeps a copy of each
// descriptor (announcements.hpp). If several descriptors fit, the receive takes the oldest that
// does not stand in the buffer of another receive.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/node/node.hpp"

namespace heddle::engine {

/// The result of a receive.
struct Arrival {
  enum class Outcome {
    as_it_is,   ///< It is no descriptor: the bytes are the message.
    whole,      ///< The message is in its place,
    truncated,  ///< as far as it fits.
    failed,     ///< The descriptor, or the control block that it names, is damaged.
  };
  Outcome outcome = Outcome::as_it_is;
  Bytes moved = 0;            ///< Bytes into the target, if whole or truncated.
  const char* why = nullptr;  ///< A sentence, if failed.
};

/// Descriptors in the buffers of other receives of this process: sender and generation of each.
using Standing = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// The status of a receive that is over.
struct Receipt {
  static constexpr int unknown = -1;
  static constexpr int elsewhere = -2;  ///< No rank of the node.

  int peer = unknown;  ///< Rank of the node that has sent it.
  int tag = 0;
  Bytes bytes = 0;
  bool own = false;    ///< The communicator is Heddle's own. There both ends know the length of the message:
  Bytes expected = 0;  ///< `expected` bytes.
  /// Finds the descriptors of other receives. Null: the message has arrived in memory that only
  /// Heddle writes, so no descriptor can be lost. May throw std::bad_alloc.
  void (*standing)(Node& node, Standing& found) = nullptr;
};

/// For a receive that has succeeded. Its first bytes, at most `room`, are at `first`. A descriptor
/// there is removed.
Arrival fetch(Node& node, void* first, Bytes room, const Receipt& receipt, const Target& target) noexcept;

/// For a receive that was too short for the arrived bytes. If they were a descriptor, its message
/// is received as far as it fits, or at least drained (docs/protocol.md, rule 7).
Arrival fetch_truncated(Node& node, void* first, Bytes room, const Target& target) noexcept;

}  // namespace heddle::engine
