// transport/transport.cpp: a transport that does not copy.
#include "transport/transport.hpp"

#include <cerrno>

namespace heddle::transport {

Moved Transport::pull(int /*peer*/, std::span<const iovec> /*local*/, std::span<const iovec> /*remote*/) noexcept {
  return {.error = ENOSYS};
}

Moved Transport::push(int /*peer*/, std::span<const iovec> /*local*/, std::span<const iovec> /*remote*/) noexcept {
  return {.error = ENOSYS};
}

}  // namespace heddle::transport
