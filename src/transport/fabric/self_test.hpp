// transport/fabric/self_test.hpp: tests a provider's claims between two endpoints of this process.
//
//   const Tried tried = self_test(*one, *other, clock);
//   if (tried.failure != Failure::none) ...            // tried.why: "tcp: bytes are wrong after a write of one piece into one"
//
// Blocks are odd in size and place: with even blocks, a provider that left out all remote pieces
// but the first went unnoticed. If operations with several pieces fail, the limit becomes one
// piece. If operations with one piece fail, the provider is unsound.
#pragma once

#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/failure.hpp"

namespace heddle::transport::fabric {

/// Nanoseconds of a clock that only moves forward.
using Clock = std::int64_t (*)();

struct Tried {
  Failure failure = Failure::none;
  Abilities abilities{};  ///< The claims that hold.
  std::string why{};      ///< The failure, or the claims that were taken back. Empty: all claims hold.
};

/// Takes a millisecond or so; gives up after `patience_ns` without an event.
Tried self_test(Endpoint& here, Endpoint& there, Clock clock, std::int64_t patience_ns = 30'000'000'000);

}  // namespace heddle::transport::fabric
