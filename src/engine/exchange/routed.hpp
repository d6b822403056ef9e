// engine/exchange/routed.hpp: an Alltoallv by a schedule that bundles: blocks that go the same way
// travel in one message.
//
//   Routed routed(exchange, carrier, place, straight_from, options, channel);   // takes short blocks out of the exchange
//   exchange.start(true);                                                       // the other blocks travel at the same time
//   const int error = routed.run();
//
// Both ranks of a pair know the bytes of its block. A block of at least `straight_from` bytes goes
// straight from rank to rank. A shorter block is bundled with those of other ranks along the
// rounds, if the rounds take it to a rank so far away (Candidate::reach). So a wrong choice costs
// no more than a few short blocks do, and an outlier is not moved log2 P times. A block is packed
// straight into the bundle, and unpacked straight from the bundle in which it came.
#pragma once

#include <vector>

#include "engine/collective/router.hpp"
#include "engine/exchange/exchange.hpp"

namespace heddle::engine {

class Routed final : private Freight {
 public:
  /// Each rank is a neighbour once. Throws std::bad_alloc.
  /// @param straight_from  Bytes. The same on all ranks, as `place` is.
  Routed(Exchange& exchange, Carrier& carrier, const schedule::Place& place, Bytes straight_from,
         const Router::Options& options, Channel& channel);

  /// Returns the error of a block, or 0. Throws Failed, and the router's exceptions.
  int run();
  [[nodiscard]] const Router& router() const noexcept { return router_; }

 private:
  void pack(std::size_t number, std::byte* to) override;

  Carrier& carrier_;
  Router router_;
  std::vector<Block> out_, in_;  // in_ in the order of ranks
};

}  // namespace heddle::engine
