// select/message_protocols.hpp: the five protocols of a message (`heddle algorithms`).
//
// Aggregates (small blocks to one rank in one message, and the router's bundles) are only framing.
// Each is itself a message by one of these protocols. Within a node, eager and rendezvous are MPI's
// own pair. Between nodes a fabric replaces them (docs/fabric.md).
#pragma once

#include <array>
#include <string_view>

namespace heddle::select {

struct MessageProtocol {
  std::string_view name, description, when;
};

constexpr std::array message_protocols = {
    MessageProtocol{"passthrough", "the host's own call, retyped where needed",
                    "predefined types, and messages that the host moves as well as Heddle"},
    MessageProtocol{"packed", "a staging buffer, then the host's contiguous message",
                    "short data with holes, and data with holes to another node"},
    MessageProtocol{"eager", "a mailbox slot that the receiver has mapped: publish, consume, retract",
                    "blocks of collectives between ranks of a node: up to 4 KiB, in persistent collectives up to 8 KiB"},
    MessageProtocol{"rendezvous",
                    "a descriptor by the host, then segments, claimed by the sender, the receiver or both (HEDDLE_SCHEME)",
                    "long data with holes between ranks of a node, and contiguous data that Heddle moves faster than the host"},
    MessageProtocol{"local", "one pass from layout to layout", "a rank's own block"}};

}  // namespace heddle::select
