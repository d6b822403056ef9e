// engine/arrival.hpp: a receive is over, and what it has brought may be the descriptor of a message within the node: then the
// message is fetched (docs/protocol.md). May include: node.hpp, select/, report/.
//
//   const Arrival arrival = fetch(node, buffer, room, {.peer = 3, .tag = 7, .bytes = bytes_of(status)}, {&layout, count,
//   elements}); if (arrival.how == Arrival::How::whole) status.bytes = arrival.moved;
//
// A program may write over a descriptor that has arrived in its memory: by another receive into the same place, or by its own
// hand. Nobody can write over the status: sender, tag and length. The length says whether a descriptor has come
// (lengths.hpp), and its sender keeps a copy of each (announcements.hpp). Of several that fit the receive takes the oldest that
// is not in its place in the buffer of another receive.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/node.hpp"

namespace heddle::engine {

/// What has become of it.
struct Arrival {
  enum class How {
    as_it_is,   ///< It is no descriptor: the bytes are the message.
    whole,      ///< The message is in its place,
    truncated,  ///< as far as it fits.
    failed,     ///< Its descriptor, or what that names, is damaged.
  };
  How how = How::as_it_is;
  Bytes moved = 0;            ///< Whole or truncated: into the target.
  const char* why = nullptr;  ///< Failed: a sentence.
};

/// Descriptors that stand where other receives of this process land: sender and generation of each.
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
  /// Finds the descriptors of other receives. Null: the message has arrived in memory that only Heddle writes, so no descriptor
  /// can be lost. May throw std::bad_alloc.
  void (*standing)(Node& node, Standing& found) = nullptr;
};

/// The receive has succeeded: the first of its bytes, `room` at most, are at `first`, where a descriptor is not to be found
/// again.
Arrival fetch(Node& node, void* first, Bytes room, const Receipt& receipt, const Target& target) noexcept;

/// The receive has been too short for what came; if that was a descriptor, its message is received as far as it fits, or at
/// least drained (docs/protocol.md, rule 7).
Arrival fetch_truncated(Node& node, void* first, Bytes room, const Target& target) noexcept;

}  // namespace heddle::engine
