// engine/arrival.hpp: a receive is over, and what it has brought may be the descriptor of a message within the node: then the
// message is fetched (docs/protocol.md). May include: node.hpp, select/, report/.
//
//   const Arrival arrival = fetch(node, buffer, room, bytes_of(status), {&layout, count, elements});
//   if (arrival.how == Arrival::How::whole) status.bytes = arrival.moved;
#pragma once

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

/// The receive has succeeded: `arrived` bytes; the first of them, `room` at most, are at `first`, where a descriptor is not to
/// be found again.
Arrival fetch(Node& node, void* first, Bytes room, Bytes arrived, const Target& target) noexcept;

/// The receive has been too short for what came; if that was a descriptor, its message is received as far as it fits, or at
/// least drained (docs/protocol.md, rule 7).
Arrival fetch_truncated(Node& node, void* first, Bytes room, const Target& target) noexcept;

}  // namespace heddle::engine
