// transport/fabric/self_test.hpp: whether a provider does what it claims, tried between two
// endpoints of this process.
//
//   const Tried tried = self_test(*one, *other, clock);
//   if (tried.failure != Failure::none) ...            // tried.why: "tcp: bytes are wrong after a write of one piece into one"
//
// Blocks odd in size and place, because even ones have hidden a provider that left out all remote pieces but the first. What
// fails with several pieces is tried again with one; what fails with one is unsound.
#pragma once

#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/failure.hpp"

namespace heddle::transport::fabric {

/// Nanoseconds of a clock that only moves forward.
using Clock = std::int64_t (*)();

struct Tried {
  Failure failure = Failure::none;
  Abilities abilities{};  ///< What is left of the claims.
  std::string why{};      ///< What failed, or what was taken back; empty: all is as claimed.
};

/// Takes a millisecond or so; gives up after `patience_ns` without an event.
Tried self_test(Endpoint& here, Endpoint& there, Clock clock, std::int64_t patience_ns = 30'000'000'000);

}  // namespace heddle::transport::fabric
