// transport/mapped/mapped.hpp: memory that peers have handed out (shared_memory.hpp), as a
// transport.
#pragma once

#include <optional>

#include "transport/join_node.hpp"
#include "transport/mapped/peer_memory.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

class Mapped final : public Transport {
 public:
  explicit Mapped(const JoinedNode& node) : Transport(*find("mapped"), node.size()), node_(node) {}

  void joined() noexcept override;
  [[nodiscard]] MappedBuffer map(const PeerBuffer& buffer) noexcept override;

 private:
  const JoinedNode& node_;
  std::optional<PeerMemory> theirs_;  // none: too little memory
};

}  // namespace heddle::transport
