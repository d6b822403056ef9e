// transport/mapped/mapped.cpp: answers with an address here for memory that a peer has handed out.
#include "transport/mapped/mapped.hpp"

#include <memory>
#include <new>

namespace heddle::transport {

void Mapped::joined() noexcept try { theirs_.emplace(node_); } catch (const std::bad_alloc&) {
}

MappedBuffer Mapped::map(const PeerBuffer& buffer) noexcept {
  return buffer.place.version != 0 && theirs_ ? MappedBuffer(theirs_->map(buffer.peer, buffer.place, buffer.bytes))
                                              : MappedBuffer();
}

std::unique_ptr<Transport> make_mapped(const JoinedNode& node) { return std::make_unique<Mapped>(node); }

}  // namespace heddle::transport
