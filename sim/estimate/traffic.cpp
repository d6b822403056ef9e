// sim/estimate/traffic.cpp
#include "estimate/traffic.hpp"

#include <algorithm>

namespace heddle::sim {

void Traffic::begin() {
  put_down();
  if (any_) std::ranges::fill(loads_, 0);
  any_ = false;
  fullest_ = -1;
}

void Traffic::put_down() {
  if (pending_ > 0)
    for (const std::size_t link : route_) loads_[link] += pending_;
  pending_ = 0;
}

void Traffic::take_route(Rank from, Rank to) {
  if (from == from_ && to == to_) return;
  put_down();
  machine_.joined.route(from, to, route_);
  from_ = from;
  to_ = to;
  fullest_ = -1;
}

void Traffic::load(Rank from, Rank to, double bytes) {
  const Rank here = machine_.node_of(from);
  const Rank there = machine_.node_of(to);
  if (here == there || bytes <= 0) return;
  take_route(here, there);
  pending_ += bytes;
  any_ = true;
}

double Traffic::arrival(const Message& message) {
  const Rank here = machine_.node_of(message.from);
  const Rank there = machine_.node_of(message.to);
  if (here == there) return message.start + machine_.local.latency + message.bytes * machine_.local.byte;
  put_down();
  take_route(here, there);
  const double latency = static_cast<double>(route_.size()) * machine_.network.latency;
  const double alone = message.start + latency + message.bytes * machine_.network.byte;
  if (!any_ || message.bytes <= 0) return alone;
  if (fullest_ < 0) {
    fullest_ = 0;
    for (const std::size_t link : route_) fullest_ = std::max(fullest_, loads_[link]);
  }
  return std::max(alone, message.begin + latency + message.share * fullest_ * machine_.network.byte);
}

}  // namespace heddle::sim
