// engine/exchange/routed.hpp: an Alltoallv by a schedule that bundles: what goes the same way
// travels in one message.
//
//   Routed routed(exchange, carrier, place, straight_from, options, channel);   // takes short blocks out of the exchange
//   exchange.start(true);                                                       // what is left of it goes meanwhile
//   const int error = routed.run();
//
// Both ranks of a pair know the bytes of its block: from `straight_from` on, it goes straight from rank to rank, and what is
// short is bundled with other ranks' along the rounds, if they take it to a rank so far away (Way::reach). So a choice that
// does not fit costs what a few short blocks cost, and one outlier is not moved log2 P times. A block is packed straight into
// the bundle, and unpacked straight from the bundle that it came in.
#pragma once

#include <vector>

#include "engine/exchange/exchange.hpp"
#include "engine/router.hpp"

namespace heddle::engine {

class Routed final : private Freight {
 public:
  /// A rank is a neighbour once. @param straight_from  Bytes; the same on all ranks, as `place` is. Throws std::bad_alloc.
  Routed(Exchange& exchange, Carrier& carrier, const schedule::Place& place, Bytes straight_from,
         const Router::Options& options, Channel& channel);

  /// What went wrong with a block, or 0. Throws Failed, and what the router throws.
  int run();
  [[nodiscard]] const Router& router() const noexcept { return router_; }

 private:
  void pack(std::size_t number, std::byte* to) override;

  Carrier& carrier_;
  Router router_;
  std::vector<Block> out_, in_;  // the latter in the order of their ranks
};

}  // namespace heddle::engine
