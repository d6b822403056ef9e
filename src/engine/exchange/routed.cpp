// engine/exchange/routed.cpp: takes the blocks that travel in bundles out of the exchange, and puts
// arriving ones in place.
#include "engine/exchange/routed.hpp"

#include <algorithm>

namespace heddle::engine {
namespace {

void check(int error) {
  if (error != 0) throw Failed{error};
}

}  // namespace

Routed::Routed(Exchange& exchange, Carrier& carrier, const schedule::Place& place, Bytes straight_from,
               const Router::Options& options, Channel& channel)
    : carrier_(carrier), router_(place, exchange.me(), options, channel, *this) {
  const Rank me = exchange.me();
  const auto bundled = [&](Rank from, Rank to, Bytes bytes) {
    return from != to && bytes < straight_from && schedule::bruck_takes(place, from, to);
  };
  exchange.take_sends([&](const Block& block) {
    const bool takes = bundled(me, block.rank, block.bytes);
    if (takes) out_.push_back(block);
    return takes;
  });
  exchange.take_receives([&](const Block& block) {
    const bool takes = bundled(block.rank, me, block.bytes);
    if (takes) in_.push_back(block);
    return takes;
  });
  std::ranges::sort(in_, {}, &Block::rank);
}

void Routed::pack(std::size_t number, std::byte* to) { check(carrier_.pack(out_[number], to)); }

int Routed::run() {
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const std::byte* packed = nullptr;
    check(carrier_.find_packed(out_[i], packed));
    router_.add(out_[i].rank, out_[i].bytes, packed, i);
  }
  router_.run();
  int result = 0;
  for (const Router::Packet& packet : router_.arrived()) {
    const auto block = std::ranges::lower_bound(in_, packet.from, {}, &Block::rank);
    // Fewer bytes than expected are a mistake, too, but hosts let it pass.
    if (block == in_.end() || block->rank != packet.from || packet.bytes > block->bytes)
      result = carrier_.error_of(Carrier::Failure::truncated);
    else
      check(carrier_.unpack(*block, packet.at, packet.bytes));
  }
  return result;
}

}  // namespace heddle::engine
