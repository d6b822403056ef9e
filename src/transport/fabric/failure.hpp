// transport/fabric/failure.hpp: the reasons why a message does not go over the fabric. The caller
// then takes another way.
#pragma once

#include <cstdint>

namespace heddle::transport::fabric {

enum class Failure : std::uint8_t {
  none,
  missing,       ///< No libfabric, or not the provider that was asked for.
  incapable,     ///< The provider does not claim all abilities that Heddle needs.
  unsound,       ///< The self-test found that the provider does not do what it claims.
  registration,  ///< Memory could not be registered: the provider refused, or the limit on pinned memory is reached.
  memory,        ///< There is no memory, no segment, or no place in a table.
  peer,          ///< The peer is gone.
  completion,    ///< An operation ended with an error.
  refused,       ///< The peer does not accept the message this way.
  truncated,     ///< The receiver's buffer is shorter than the message.
  damaged,       ///< A control message makes no sense.
  closed,        ///< The endpoint had to be closed.
};

constexpr Failure last_failure = Failure::closed;

/// "the peer is gone"
constexpr const char* words(Failure failure) noexcept {
  switch (failure) {
    case Failure::none:
      return "nothing failed";
    case Failure::missing:
      return "there is no such provider";
    case Failure::incapable:
      return "the provider lacks what Heddle needs";
    case Failure::unsound:
      return "the provider does not do what it claims";
    case Failure::registration:
      return "memory could not be registered";
    case Failure::memory:
      return "there is no room for another message";
    case Failure::peer:
      return "the peer is gone";
    case Failure::completion:
      return "an operation ended with an error";
    case Failure::refused:
      return "the peer refused the message";
    case Failure::truncated:
      return "the message is longer than the buffer";
    case Failure::damaged:
      return "a control message makes no sense";
    case Failure::closed:
      return "the endpoint was closed";
  }
  return "?";
}

}  // namespace heddle::transport::fabric
