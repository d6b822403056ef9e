// engine/exchange/routed.cpp
#include "engine/exchange/routed.hpp"

namespace heddle::engine {
namespace {

void check(int error) {
  if (error != 0) throw Failed{error};
}

}  // namespace

Routed::Routed(Exchange& exchange, Carrier& carrier, const schedule::Place& place, Bytes straight_from)
    : carrier_(carrier), place_(place), me_(exchange.me()), in_(static_cast<std::size_t>(place.ranks)) {
  out_.reserve(in_.size());
  const auto bundled = [&](Rank from, Rank to, Bytes bytes) {
    return from != to && bytes < straight_from && schedule::bruck_takes(place, from, to);
  };
  exchange.take_sends([&](const Block& block) {
    const bool takes = bundled(me_, block.rank, block.bytes);
    if (takes) out_.push_back(block);
    return takes;
  });
  exchange.take_receives([&](const Block& block) {
    const bool takes = bundled(block.rank, me_, block.bytes);
    if (takes) in_[static_cast<std::size_t>(block.rank)] = block;
    return takes;
  });
}

void Routed::pack(std::size_t number, std::byte* to) { check(carrier_.pack(out_[number], to)); }

int Routed::run(const Router::Options& options, Channel& channel) {
  Router router(place_, me_, options, channel, *this);
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const std::byte* packed = nullptr;
    check(carrier_.find_packed(out_[i], packed));
    router.add(out_[i].rank, out_[i].bytes, packed, i);
  }
  router.run();
  int result = 0;
  for (const Router::Packet& packet : router.arrived()) {
    const Block& block = in_[static_cast<std::size_t>(packet.from)];
    // Less than is expected is a mistake, too, which hosts let pass.
    if (packet.bytes > block.bytes)
      result = carrier_.error_of(Carrier::Mistake::truncated);
    else
      check(carrier_.unpack(block, packet.at, packet.bytes));
  }
  return result;
}

}  // namespace heddle::engine
