// engine/p2p/staging.cpp: the reason why a message is packed, for reports.
#include "engine/p2p/staging.hpp"

namespace heddle::engine {

std::string Staging::why_packed(const Node* node, Bytes bytes) {
  if (!node) return "no memory is shared with other ranks of this node";
  if (bytes < node->threshold())
    return std::to_string(bytes) + " bytes are fewer than HEDDLE_RENDEZVOUS (" + std::to_string(node->threshold()) + ")";
  return "its receiver is no rank of this node, or there is no room for its segments";
}

}  // namespace heddle::engine
